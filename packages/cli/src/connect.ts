// `toolrack connect`: shows how a client connects to this server, or to another one.
import { existsSync } from 'node:fs'
import { findNearestName } from 'toolrack/text'
import { UsageError } from './errors.ts'
import { formatExamples, type Register } from './root-command.ts'

interface Options {
  readonly url?: string
  readonly name: string
  readonly json?: true
  readonly write?: true
  readonly file?: string
  readonly yes?: true
  readonly stdio?: true
}

export const registerConnect: Register = (program, io) => {
  program
    .command('connect')
    .summary('shows how a client connects')
    .description(
      'Prints the steps, the command or the file that connects a client, such as Claude Code or VS Code, ' +
        'and what the client does not support. Without a client: the list of clients.',
    )
    .argument('[client]', 'the client')
    .argument('[folder...]', 'with --stdio: where the tools are (default: ./tools)')
    .option('--url <url>', 'the endpoint (default: that of the settings)')
    .option('--name <name>', 'what the client calls the server', 'toolrack')
    .option('--stdio', 'for a client that starts the server itself, by toolrack start --stdio')
    .option('--write', "edits the client's own file, after it has shown the change and asked")
    .option('--file <file>', 'with --write: another file than the usual one')
    .option('--yes', 'with --write: does not ask')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      formatExamples(
        'toolrack connect',
        'toolrack connect vscode',
        'toolrack connect codex --url https://mcp.example/mcp',
        'toolrack connect vscode --write',
        'toolrack connect claude-desktop --stdio ./tools',
      ),
    )
    .action(async (id: string | undefined, folders: string[], options: Options) => {
      const { url, name, json } = options
      assertTogether(id, options)
      assertStdio(folders, options)
      const [{ connectProgram }, { CLIENT_IDS, describeClients }, { readServer }, { formatClient, formatList }] =
        await Promise.all([
          import('./connect-program.ts'),
          import('toolrack/clients'),
          import('./server-facts.ts'),
          import('./connect-report.ts'),
        ])
      if (options.stdio && id !== undefined && !CLIENT_IDS.includes(id) && existsSync(id))
        return connectProgram(undefined, { ...options, folders: [id, ...folders] }, io)
      if (id !== undefined) assertClient(id, CLIENT_IDS)
      if (options.stdio) return connectProgram(id, { ...options, folders }, io)
      const { facts, isRunning, isUnnamed } = await readServer(name, url)
      const clients = describeClients(facts)
      const client = clients.find(each => each.id === id)
      if (!isRunning) io.note(io.paintNote('yellow', explainSilence(facts.url, url !== undefined)))
      if (isUnnamed) io.note(io.paintNote('yellow', NAME_URL))
      if (options.write) {
        const { writeClient } = await import('./client-file/write.ts')
        return writeClient(client!, { file: options.file, isYes: options.yes === true }, io)
      }
      if (json) io.printJson({ server: facts, ...(client === undefined ? { clients } : { client }) })
      else io.print(client === undefined ? formatList(clients, facts, io) : formatClient(client, io))
    })
}

/** @throws UsageError */
function assertTogether(id: string | undefined, { json, write, file, yes }: Options): void {
  if (write && id === undefined)
    throw new UsageError('--write: expected a client before it: toolrack connect vscode --write')
  if (write && json) throw new UsageError('--write and --json: expected one of them')
  const alone = write ? undefined : file !== undefined ? '--file' : yes ? '--yes' : undefined
  if (alone !== undefined) throw new UsageError(`${alone}: expected with --write`)
}

/** @throws UsageError */
function assertStdio(folders: readonly string[], { stdio, url }: Options): void {
  if (stdio && url !== undefined) throw new UsageError('--stdio and --url: expected one of them')
  if (!stdio && folders.length > 0) throw new UsageError(`too many arguments: ${folders[0]}; folders are for --stdio`)
}

/** @throws UsageError */
function assertClient(id: string, ids: readonly string[]): void {
  if (ids.includes(id)) return
  // A third of the letters may differ.
  const meant = ids.find(each => each.startsWith(id)) ?? findNearestName(id, ids, id.length / 3)
  const hint = meant === undefined ? 'toolrack connect lists all' : `did you mean ${meant}?`
  throw new UsageError(`unknown client '${id}'; ${hint}`)
}

const NAME_URL =
  'This URL is for this machine alone. Set PUBLIC_URL to the one that other machines open, to see it in every step.'

const explainSilence = (url: string, isGiven: boolean): string =>
  `${url} does not answer. ${isGiven ? 'Whether it asks for a token is not known.' : 'What follows is by the settings; start it by: toolrack'}`
