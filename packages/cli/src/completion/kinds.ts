// Decides by the name of an argument what it takes: a server, a tool, a client, a command or a file.
import type { Command } from 'commander'

export interface Suggestion {
  readonly value: string
  readonly description?: string
}

/** Means names of files, which the shell completes. */
export const FILES = ':files'

interface Context {
  readonly program: Command
  /** The server that the line names; undefined for the server of the settings. */
  readonly server: string | undefined
}

export type Kind = (context: Context) => Promise<readonly Suggestion[]> | readonly Suggestion[]

/** Short, since the user waits after a key. */
const TOOLS_WITHIN_MS = 1000

export const KINDS: Readonly<Record<string, Kind>> = {
  URL: listServers,
  names: listServers,
  tool: listTools,
  pattern: listTools,
  client: listClients,
  command: ({ program }) =>
    program
      .createHelp()
      .visibleCommands(program)
      .map(each => ({ value: each.name(), description: each.summary() })),
  folder: () => [{ value: FILES }],
  files: () => [{ value: FILES }],
}

async function listServers(): Promise<readonly Suggestion[]> {
  const { readServers } = await import('../client/servers.ts')
  return Object.entries(readServers()).map(([value, { url }]) => ({ value, description: new URL(url).host }))
}

async function listClients(): Promise<readonly Suggestion[]> {
  const { CLIENT_IDS } = await import('toolrack/clients')
  return CLIENT_IDS.map(value => ({ value }))
}

/** The tools of a server, if it answers in time. */
async function listTools({ server }: Context): Promise<readonly Suggestion[]> {
  const [{ connect }, { resolveTarget }] = await Promise.all([
    import('../client/connect.ts'),
    import('../client/target.ts'),
  ])
  const signal = AbortSignal.timeout(TOOLS_WITHIN_MS)
  const ask = async () => {
    const { client } = await connect({ ...resolveTarget(server, {}), timeoutMs: TOOLS_WITHIN_MS }, { signal })
    const { tools } = await client.listTools(undefined, { signal })
    return tools.map(({ name, description = '' }) => ({ value: name, description: description.split('\n', 1)[0]! }))
  }
  const late = new Promise<readonly Suggestion[]>(resolve => signal.addEventListener('abort', () => resolve([])))
  return Promise.race([ask().catch(() => []), late])
}
