// How other clients reach this server: cards in groups, and the steps of the chosen client. The same
// rows are on the server's page, in `toolrack connect` and in docs/reference/clients.md.
import { useMemo } from 'preact/hooks'
import { type Client, describeClients, describeWay, type GroupId, groupClients } from '../../../src/clients/index.ts'
import { toPublicUrl } from '../client/public-url.ts'
import { useStore } from '../client/use-store.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { useConsole } from '../shell/context.ts'
import { toHash } from '../shell/router.ts'
import { Work } from '../shell/Work.tsx'
import { ClientPane } from './ClientPane.tsx'

const ICONS: Readonly<Record<GroupId, IconName>> = {
  editors: 'terminal',
  frameworks: 'box',
  'chat-apps': 'prompts',
  apis: 'braces',
}

export function ConnectView({ name }: { name?: string | undefined }) {
  const { config } = useConsole()
  const groups = groupClients(useClients())
  const clients = groups.flatMap(group => group.clients)
  const chosen = clients.find(({ id }) => id === name) ?? clients[0]!
  return (
    <Work
      label="Connect"
      title={name === undefined ? 'Connect' : chosen.title}
      layout="split"
      pane={name === undefined ? 'list' : 'result'}
    >
      <section class="pane pane-list" aria-label="Clients">
        <header class="view-head">
          <h2 class="view-title cut">Connect</h2>
          <div class="end endpoint-end">
            <div class="endpoint">
              <code>{config.publicUrl}</code>
              <CopyButton text={config.publicUrl} label="Copy the endpoint" />
            </div>
          </div>
        </header>
        <Scroll label="Clients">
          <div class="clients">
            {groups.map(group => (
              <section key={group.id} class="group" aria-label={group.title}>
                <h3 class="group-head">
                  <Icon name={ICONS[group.id]} />
                  {group.title}
                </h3>
                <ul class="client-cards">
                  {group.clients.map(client => (
                    <li key={client.id}>
                      <Card client={client} isChosen={client === chosen} />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </div>
        </Scroll>
      </section>
      <ClientPane key={chosen.id} client={chosen} />
    </Work>
  )
}

/** The steps contain the caller's view of the server. */
function useClients(): readonly Client[] {
  const { config, connection } = useConsole()
  const { tools } = useStore(connection.lists)
  return useMemo(() => {
    const { name, access, authorizationServers, publicUrl, plainHttp, isPlugin } = config
    const tool = tools?.find(({ annotations }) => annotations?.readOnlyHint === true) ?? tools?.[0]
    return describeClients({
      name,
      access,
      authorizationServers,
      url: publicUrl,
      plainHttp: { url: toPublicUrl(config, plainHttp ?? '../tools'), isOn: plainHttp !== null },
      isPlugin,
      toolCount: tools?.length,
      exampleTool: tool,
    })
  }, [config, tools])
}

const Card = ({ client, isChosen }: { client: Client; isChosen: boolean }) => (
  <a
    class={client.problems.length > 0 ? 'client client-off' : 'client'}
    href={toHash({ section: 'connect', name: client.id })}
    aria-current={isChosen ? 'true' : undefined}
  >
    <strong>{client.title}</strong>
    <span>{describeWay(client)}</span>
  </a>
)
