// Resources and resource templates of the server, or one of them.
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { List } from '../shell/List.tsx'
import { toHash } from '../shell/router.ts'
import { ResourcePage } from './ResourcePage.tsx'
import { TemplatePage } from './TemplatePage.tsx'

export function ResourcesView({ name: uri }: { name?: string | undefined }) {
  const { connection } = useConsole()
  const { resources, templates } = useStore(connection.lists)
  const template = templates?.find(({ uriTemplate }) => uriTemplate === uri)
  if (template !== undefined) return <TemplatePage key={uri} template={template} />
  const resource = resources?.find(each => each.uri === uri)
  if (uri !== undefined) return <ResourcePage key={uri} uri={uri} resource={resource} />
  const items = [
    ...(resources ?? []).map(each => ({ ...each, key: each.uri, name: each.uri, title: each.title ?? each.name })),
    ...(templates ?? []).map(each => ({
      ...each,
      key: each.uriTemplate,
      name: each.uriTemplate,
      title: each.title ?? each.name,
      extra: <span class="badge">template</span>,
    })),
  ].map(item => ({ ...item, href: toHash({ section: 'resources', name: item.key }) }))
  return (
    <>
      <Heading>Resources</Heading>
      <List kind="resources" items={resources && items} />
    </>
  )
}
