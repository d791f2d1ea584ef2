// `toolrack connect CLIENT --stdio`: what a client's file has afterwards starts the server, as the client starts it: in
// another folder, without the PATH of a shell, and with spaces in the paths.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import t, { type Test } from 'tap'
import { runPiped } from '../../../../test/support/command-line.ts'
import { serverProgram } from '../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import {
  type Client as ClientRow,
  createProgram,
  describeClientProgram,
  PROGRAM_CLIENTS,
} from '../../../console/src/clients/index.ts'

const TOOLS = `export default { name: 'add', handler: () => process.env.API_KEY ?? 'none' }`
const SECRET = 'key-of-ada'

interface Entry {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Record<string, string>
  readonly cwd?: string
}

/** A project whose tools are in `my tools`, and a command line in it. */
function makeProject(t: Test) {
  const { path } = tempFolder(t, { 'my tools/add.mjs': TOOLS, '.env': `API_KEY=${SECRET}\n` })
  return {
    path,
    connect: (args: readonly string[], program?: string) =>
      runPiped(t, ['connect', ...args], { cwd: path, env: { HOME: path }, ...(program && { program }) }),
  }
}

/** As desktop apps start it. @returns its tools, and what the first answers */
async function start(t: Test, { command, args, env, cwd }: Entry, environment: Record<string, string>) {
  const elsewhere = tempFolder(t).path
  const client = new Client({ name: 'desktop', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      ...{ command, args: [...args], cwd: cwd ?? elsewhere, stderr: 'ignore' },
      env: { HOME: elsewhere, ...environment, ...env },
    }),
  )
  t.teardown(() => client.close())
  const { tools } = await client.listTools()
  const { content } = await client.callTool({ name: tools[0]!.name })
  return [...tools.map(({ name }) => name), (content as { text: string }[])[0]!.text]
}

const BEFORE = { json: '{ /* mine */ "mcpServers": { "a": {} } }\n', toml: '# mine\n[mcp_servers.a]\nurl = "x"\n' }
const any = createProgram({ command: 'node', args: [] }, [])
const withFile = PROGRAM_CLIENTS.filter(id => describeClientProgram(id, 'shop', any)?.file !== undefined)

t.test('what is written starts the server, and all else in the file stays', async t => {
  const { path, connect } = makeProject(t)
  const programs = new Set<string>()
  for (const id of withFile) {
    const { format, servers } = describeClientProgram(id, 'shop', any)!.file!
    const file = join(path, `${id}.${format}`)
    writeFileSync(file, BEFORE[format])
    const { code, stdout } = await connect([id, '--stdio', 'my tools', '--write', '--yes', '--file', file])
    t.equal(code, 0, `${id}: ${stdout}`)

    const text = readFileSync(file, 'utf8')
    const kept = (format === 'json' ? parseJson(text) : parseToml(text)) as Record<string, Record<string, Entry>>
    t.match(text, 'mine', id)
    t.ok(kept[format === 'json' ? 'mcpServers' : 'mcp_servers']?.['a'], id)
    const { command, args, env, cwd } = kept[servers]!['toolrack']!
    programs.add(JSON.stringify({ command, args, env, cwd }))
  }
  t.equal(programs.size, 1, 'every client starts the same')
  const [program] = programs
  t.notMatch(program, SECRET)
  t.strictSame(Object.keys(JSON.parse(program!)), ['command', 'args'], 'nothing is in its environment')
  t.strictSame(await start(t, JSON.parse(program!), { PATH: '/nowhere' }), ['add', SECRET])
})

t.test('what other clients take starts the same', async t => {
  const { path, connect } = makeProject(t)
  const program = JSON.parse((await connect(['--stdio', 'my tools'])).stdout).mcpServers.toolrack as Entry
  t.strictSame(program, {
    command: process.execPath,
    args: [serverProgram(), 'start', '--stdio', '--env-file', join(path, '.env'), join(path, 'my tools')],
  })
  const steps = async (id: string) => {
    const { client } = JSON.parse((await connect([id, '--stdio', 'my tools', '--json'])).stdout)
    return (client as ClientRow).steps.flatMap(({ snippet }) => snippet?.text ?? [])
  }
  for (const id of ['antigravity', 'jetbrains', 'lm-studio'])
    t.strictSame(JSON.parse((await steps(id))[0]!), { mcpServers: { toolrack: program } }, id)
  const [session, line] = await steps('goose')
  const shell = { command: '/bin/sh', args: ['-c', `exec ${line}`] }
  t.strictSame(await start(t, shell, { PATH: '/nowhere' }), ['add', SECRET])
  // Goose takes the command apart as a shell does.
  const inner = {
    command: '/bin/sh',
    args: ['-c', `set -- ${session!.replace(/^goose session --with-extension /, '')}; eval "exec $1"`],
  }
  t.strictSame(await start(t, inner, { PATH: '/nowhere' }), ['add', SECRET])
})

t.test('what npx has fetched is asked of npx again', async t => {
  const { path, connect } = makeProject(t)
  const place = (folder: string) => {
    const link = join(path, folder, 'toolrack')
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(serverProgram(), link)
    return link
  }
  const { stdout } = await connect(['--stdio', 'my tools'], place('_npx/1a2b/node_modules/.bin'))
  const program = JSON.parse(stdout).mcpServers.toolrack as Entry
  t.match(program, { command: 'npx', args: ['-y', 'toolrack', 'start', '--stdio'] })

  place('prefix/bin')
  const environment = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    NPM_CONFIG_PREFIX: join(path, 'prefix'),
    NPM_CONFIG_OFFLINE: 'true',
  }
  t.strictSame(await start(t, program, environment), ['add', SECRET])
})
