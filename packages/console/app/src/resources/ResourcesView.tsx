// Resources and resource templates of the server, and the open one.
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/client'
import { useMemo } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { toMediaType } from '../results/files.ts'
import { formatBytes } from '../results/format.ts'
import { useConsole } from '../shell/context.ts'
import { ListPane } from '../shell/ListPane.tsx'
import { PhoneNav } from '../shell/PhoneNav.tsx'
import { toHash } from '../shell/router.ts'
import { useOpen } from '../shell/use-open.ts'
import { Work } from '../shell/Work.tsx'
import { ResourcePane } from './ResourcePane.tsx'
import { TemplatePane } from './TemplatePane.tsx'

export function ResourcesView({ name }: { name?: string | undefined }) {
  const { connection, view } = useConsole()
  const { resources, templates } = useStore(connection.lists)
  const items = useMemo(() => toItems(resources, templates), [resources, templates])
  const open = useOpen('resources', name, items)
  const pane = useStore(view.pane)
  const template = templates?.find(({ uriTemplate }) => uriTemplate === open)
  const resource = resources?.find(({ uri }) => uri === open)
  return (
    <Work
      label="Resources"
      title={open ?? 'Resources'}
      layout="list"
      pane={pane === 'list' || open === undefined ? 'list' : 'result'}
    >
      {open !== undefined && <PhoneNav section="resources" title="Resources" label="Back to the list" />}
      <ListPane
        kind="resources"
        title="Resources"
        one="resource"
        items={items}
        current={open}
        none={
          <>
            <strong>No resources</strong>
            <p>A file in resources/ makes one.</p>
          </>
        }
      />
      {template !== undefined ? (
        <TemplatePane key={open} template={template} />
      ) : open !== undefined && items !== undefined ? (
        // Also for a resource that is in no list, since a tool may link to it.
        <ResourcePane
          key={open}
          uri={open}
          title={resource?.title ?? resource?.name ?? open}
          description={resource?.description}
        />
      ) : (
        <section class="pane pane-result" aria-label="Resource" />
      )}
    </Work>
  )
}

function toItems(resources: readonly Resource[] | undefined, templates: readonly ResourceTemplateType[] | undefined) {
  return (
    resources &&
    [
      ...resources.map(each => ({ ...each, key: each.uri, name: each.uri, text: describe(each) })),
      ...(templates ?? []).map(each => ({
        ...each,
        key: each.uriTemplate,
        name: each.uriTemplate,
        text: each.description ?? each.title ?? each.name,
        group: 'Templates',
      })),
    ].map(item => ({ ...item, href: toHash({ section: 'resources', name: item.key }) }))
  )
}

/** `Report of November · text, 4.2 KB` */
function describe({ title, name, mimeType, size }: Resource): string {
  const facts = [toMediaType(mimeType).split('/', 1)[0], size !== undefined && formatBytes(size)].filter(Boolean)
  return [title ?? name, facts.join(', ')].filter(Boolean).join(' · ')
}
