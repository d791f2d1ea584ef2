// The snippets of `toolrack connect` and docs/reference/clients.md, run as they are printed: programs against a scripted model, commands
// by a shell, entries of files as the process that they start. What a vendor's machine would do is compared with its types.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { describeClients, type ServerFacts } from '../../../packages/console/src/clients/index.ts'
import { SECRET } from '../../support/auth/guarded.ts'
import { signed } from '../../support/auth/tokens.ts'
import { type ModelApi, openModelApi } from './model-api.ts'
import { openShop } from './server.ts'

const run = promisify(execFile)
const HERE = import.meta.dirname
const AUDIENCE = 'shop'
const TOKEN = signed(SECRET, { aud: AUDIENCE })
/** npx leaves files in it. */
const HOME = mkdtempSync(join(tmpdir(), 'toolrack-home-'))
t.teardown(() => rmSync(HOME, { recursive: true, force: true, maxRetries: 3 }))
const GUARDED = { JWT_SECRET: SECRET, JWT_AUDIENCE: AUDIENCE }

interface Served {
  readonly name: string
  readonly facts: ServerFacts
}

/** A server that is open, and one that wants a token. */
async function openServers(t: Test): Promise<readonly Served[]> {
  const common = { name: 'shop', authorizationServers: [], plainHttp: { url: 'http://127.0.0.1/tools', isOn: false } }
  const [open, guarded] = await Promise.all([openShop(t), openShop(t, GUARDED)])
  return [
    { name: 'open', facts: { ...common, url: open.url, access: 'open' } },
    { name: 'with a token', facts: { ...common, url: guarded.url, access: 'token' } },
  ]
}

const PLAIN_HTTP = { url: 'https://mcp.example/tools', isOn: false }

/** Servers that a vendor's machine reaches. */
const PUBLIC: readonly ServerFacts[] = (['open', 'token'] as const).map(access => ({
  url: 'https://mcp.example/mcp',
  name: 'shop',
  access,
  authorizationServers: [],
  plainHttp: PLAIN_HTTP,
}))

/** @param title of its step */
const findSnippet = (facts: ServerFacts, id: string, title: string): string =>
  describeClients(facts)
    .find(client => client.id === id)!
    .steps.find(step => step.title === title)!.snippet!.text

/** A folder from which the packages of this one are found. */
function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(HERE, 'snippet-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const toEnvironment = ({ url }: ModelApi) => ({
  PATH: `${join(HERE, 'node_modules/.bin')}:${process.env['PATH']}`,
  HOME,
  TOOLRACK_TOKEN: TOKEN,
  TOKEN,
  OPENAI_API_KEY: 'a key',
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  ANTHROPIC_API_KEY: 'a key',
  ANTHROPIC_BASE_URL: url,
})

async function runProgram(t: Test, text: string, api: ModelApi, args: readonly string[] = []) {
  const file = join(makeFolder(t), 'agent.ts')
  writeFileSync(file, text)
  return run(process.execPath, [...args, file], { env: toEnvironment(api), timeout: 240_000 })
}

for (const id of ['openai-agents', 'langchain']) {
  t.test(`${id}: the program calls a tool, and prints what its model says`, async t => {
    for (const { name, facts } of await openServers(t)) {
      const api = await openModelApi(t)
      const { stdout } = await runProgram(t, findSnippet(facts, id, 'Use the tools'), api)

      t.match(stdout, /^done$/m, name)
      t.match(JSON.stringify(api.requests.at(-1)!.body), /price\W+42/, 'the model has seen the result')
    }
  })
}

t.test('ai-sdk: the program calls a tool, and prints what its model says', async t => {
  const provider = join(HERE, 'scripted-provider.ts')
  for (const { name, facts } of await openServers(t)) {
    const text = findSnippet(facts, 'ai-sdk', 'Use the tools')
    const { stdout, stderr } = await runProgram(t, text, await openModelApi(t), ['--import', provider])

    t.match(stdout, /^done$/m, name)
    t.match(stderr, /price\W+42/, 'the model has seen the result')
  }
})

t.test('inspector: the command prints the tools', async t => {
  for (const { name, facts } of await openServers(t)) {
    const command = findSnippet(facts, 'inspector', 'Or list the tools in the terminal')
    const env = toEnvironment(await openModelApi(t))
    const { stdout } = await run('sh', ['-c', command], { env, cwd: HERE, timeout: 240_000 })

    t.match(JSON.parse(stdout), { tools: [{ name: 'buy' }, { name: 'get_price' }, { name: 'probe' }] }, name)
  }
})

for (const id of ['claude-desktop', 'mcp-remote']) {
  t.test(`${id}: what the entry starts speaks for the server`, async t => {
    for (const { name, facts } of await openServers(t)) {
      const config = JSON.parse(findSnippet(facts, id, 'Write it into a file').replace('<TOOLRACK_TOKEN>', TOKEN)) as {
        mcpServers: Record<string, { command: string; args: string[]; env?: Record<string, string> }>
      }
      const { command, args, env } = config.mcpServers['shop']!
      const folder = makeFolder(t)
      const client = new McpClient({ name: 'desktop', version: '1.0.0' })
      const environment = { ...toEnvironment(await openModelApi(t)), MCP_REMOTE_CONFIG_DIR: folder, ...env }
      await client.connect(new StdioClientTransport({ command, args, env: environment, cwd: HERE, stderr: 'ignore' }))
      t.teardown(() => client.close())

      const { content } = await client.callTool({ name: 'get_price', arguments: { sku: 'ABC-1234' } })
      t.match(JSON.stringify(content), /price\W+42/, name)
    }
  })
}

t.test('openai-responses: the request names the server, and its token', async t => {
  for (const facts of PUBLIC) {
    const api = await openModelApi(t)
    const { stdout } = await runProgram(t, findSnippet(facts, 'openai-responses', 'Send a request'), api)

    t.equal(stdout, 'done\n', facts.access)
    const tool = { type: 'mcp', server_label: 'shop', server_url: facts.url, require_approval: 'never' }
    t.strictSame(api.requests[0]!.body.tools, [{ ...tool, ...(facts.access === 'token' && { authorization: TOKEN }) }])
  }
})

t.test('anthropic-api: the request names the server, its tools, and its token', async t => {
  for (const facts of PUBLIC) {
    const api = await openModelApi(t)
    const { stdout } = await runProgram(t, findSnippet(facts, 'anthropic-api', 'Send a request'), api)

    t.match(stdout, 'done', facts.access)
    const { mcp_servers: servers, tools } = api.requests[0]!.body
    const server = { type: 'url', name: 'shop', url: facts.url }
    t.strictSame(servers, [{ ...server, ...(facts.access === 'token' && { authorization_token: TOKEN }) }])
    t.strictSame(tools, [{ type: 'mcp_toolset', mcp_server_name: 'shop' }])
  }
})

t.test('every program fits the types of the packages that it imports', async t => {
  const folder = makeFolder(t)
  const files: string[] = []
  for (const facts of PUBLIC) {
    for (const { id, steps } of describeClients(facts)) {
      for (const { text } of steps.flatMap(({ snippet }) => (snippet?.language === 'ts' ? [snippet] : []))) {
        files.push(join(folder, `${id}-${facts.access}.ts`))
        writeFileSync(files.at(-1)!, text)
      }
    }
  }
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  })

  t.equal(files.length, 10)
  t.strictSame(
    ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    [],
  )
})
