// What a server says of itself when it has started: one line of JSON, or on a terminal one table.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { readPackageVersion } from '../../../../../src/config/environment.ts'
import { SETTINGS } from '../../../../../src/config/settings.ts'
import toolrack, { createServer, definePrompt, defineResource, defineTool } from '../../../../../src/index.ts'
import type { StartUpRow } from '../../../../../src/observability/start-up.ts'
import { VERSIONS } from '../../../../../src/protocol/revisions/index.ts'
import { build } from '../../../../../test/support/app.ts'
import { noTerminal, startOnTerminal, toPlainText } from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { serve, start } from '../../../../../test/support/servers/own-process.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'
import { formatStartUp } from '../../../src/start-up-table.ts'

const secret = 'a secret of 32 bytes, or some more'
const named = (count: number) =>
  Array.from({ length: count }, (_, index) => defineTool({ name: `tool_${index}`, handler: () => 'x' }))

t.test('start-up: what is off says how to turn it on', async t => {
  const { toolrack } = await build(t)

  t.strictSame(toolrack.startUp, {
    server: `toolrack ${readPackageVersion()}`,
    endpoint: 'http://127.0.0.1:3000/mcp',
    page: 'http://127.0.0.1:3000/',
    console: 'http://127.0.0.1:3000/console/',
    'plain HTTP': 'POST http://127.0.0.1:3000/tools/NAME',
    revisions: VERSIONS.join(' '),
    access: 'everybody who reaches it; JWT_ISSUER or JWT_SECRET asks for tokens, API_KEYS_FILE for keys',
    tools: 'none',
    'resources, prompts': '0, 0',
    state: 'in memory; REDIS_URL shares it between replicas',
    metrics: 'GET /metrics, from this machine; METRICS_TOKEN opens it',
    traces: 'off; OTEL_EXPORTER_OTLP_ENDPOINT turns them on',
    'task tools': 'off; TASK_FALLBACK_TOOLS=true has them, for clients that know no tasks',
    'HTTP+SSE': 'off; HTTP_SSE=true turns it on',
    audit: 'with the log; AUDIT_FILE gives it a place of its own',
  })
})

t.test('start-up: what is on says where it is', async t => {
  const { toolrack } = await build(t, {
    tools: named(2),
    resources: [defineResource({ name: 'note', uri: 'note://one', handler: () => 'x' })],
    prompts: [definePrompt({ name: 'greet', handler: () => 'x' })],
    jwt: { secret },
    publicUrl: 'https://mcp.example/mcp',
    metrics: { token: 'a token of 16 bytes' },
    tasks: { fallbackTools: true },
    httpSse: true,
  })

  t.match(toolrack.startUp, {
    endpoint: 'https://mcp.example/mcp',
    access: 'tokens by JWT_SECRET; AUTHORIZATION_SERVERS would tell clients where to get them',
    tools: /^4: .*tool_0 tool_1/,
    'resources, prompts': '1, 1',
    metrics: 'GET /metrics, with METRICS_TOKEN',
    'task tools': 'get_task_result, cancel_task',
    'HTTP+SSE': 'GET /sse',
  })
  t.notMatch(JSON.stringify(toolrack.startUp), new RegExp(`${secret}|a token of 16`))
})

t.test('start-up: keys of an issuer, metrics on a port of their own, or none', async t => {
  const issuer = { jwt: { jwksUrl: 'https://as.example/keys', issuer: 'https://as.example' } }
  const { toolrack: one } = await build(t, { ...issuer, metrics: { port: 0 } })
  const { toolrack: other } = await build(t, { metrics: false })

  t.match(one.startUp, { access: 'tokens of https://as.example', metrics: 'GET /metrics on port 0' })
  t.match(other.startUp, { metrics: 'off; METRICS=true turns them on' })
})

t.test('start-up: addresses are those behind the proxy, and ones that can be opened', async t => {
  const { toolrack: behind } = await build(t, { publicUrl: 'https://host.example/shop/mcp', console: true })
  const { toolrack: everywhere } = await build(t, { host: '0.0.0.0', allowAnonymous: true })
  const { toolrack: onSix } = await build(t, { host: '::', allowAnonymous: true, mcpPath: '/' })

  t.match(behind.startUp, { page: 'https://host.example/shop/', console: 'https://host.example/shop/console/' })
  t.match(everywhere.startUp, {
    endpoint: 'http://localhost:3000/mcp',
    page: 'http://localhost:3000/',
    console: /^off/,
    'plain HTTP': /^off/,
  })
  t.match(onSix.startUp, { endpoint: 'http://localhost:3000/', page: 'http://localhost:3000/' })
})

t.test('start-up: without a tool it says what to do', async t => {
  const { path: folder } = tempFolder(t)
  const { toolrack: empty } = await build(t, { toolsDir: folder, watchTools: false })
  t.equal(empty.startUp['tools'], `none; ${folder} has none that can be served; toolrack check says why`)

  const server = await start(t, serverProgram(), {}, folder)
  await until(() => server.lines.some(({ msg }) => msg === 'started'), 'it told')
  t.match(
    server.lines.find(({ msg }) => msg === 'started'),
    {
      tools:
        'none; there is no folder ./tools; toolrack init makes one, with a tool, and SAMPLES=true serves those that ship',
    },
  )
})

t.test('start-up: in an app of somebody else, what that app has to do itself', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack)
  await app.ready()

  t.match(app.toolrack.startUp, {
    page: 'http://127.0.0.1:3000/mcp',
    console: 'off; CONSOLE=true turns it on, to call tools from a browser',
    'plain HTTP': 'off; PLAIN_HTTP=true turns it on, to call tools by curl',
    metrics: 'app.toolrack.metrics(), for a route of the app',
    audit: 'off; AUDIT_FILE turns it on',
  })
})

t.test('start-up: an audit that its level keeps out of the log is off', async t => {
  const app = await createServer({ logLevel: 'warn' })
  t.teardown(() => app.close())

  t.equal(app.toolrack.startUp['audit'], 'off; AUDIT_FILE turns it on')
})

t.test('start-up: of many tools the first are named, and the rest counted', async t => {
  const { toolrack } = await build(t, { tools: named(30) })

  const { tools } = toolrack.startUp
  t.match(tools, /^30: .* and 10 more$/)
  t.equal(tools!.match(/tool_\d+/g)?.length, 20)
})

t.test('start-up: each setting that it names is one', async t => {
  const { toolrack } = await build(t)
  const names = JSON.stringify(toolrack.startUp).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []

  t.ok(names.length > 5)
  t.strictSame(
    names.filter(name => !(name in SETTINGS) && !name.startsWith('OTEL_')),
    [],
  )
})

const PLAIN = { columns: 80, hasColour: false }
const ROWS: readonly StartUpRow[] = [
  { name: 'server', on: 'shop 1.0.0', shown: { noun: 'Server', text: 'shop 1.0.0' } },
  { name: 'revisions', on: '2026-07-28' },
  { name: 'access', on: 'everybody', hint: 'JWT_SECRET asks', shown: { noun: 'Access', text: 'anyone' } },
  { name: 'tools', on: '1: probe', shown: { noun: 'Tools', text: '1 from ./tools', items: ['probe'] } },
  { name: 'traces', hint: 'OTEL_* turn them on', shown: { noun: 'Off', text: 'traces' } },
  { name: 'endpoint', on: 'http://127.0.0.1/mcp', shown: { noun: 'Endpoint', text: 'http://127.0.0.1/mcp' } },
  { name: 'audit', hint: 'AUDIT_FILE turns it on', shown: { noun: 'Off', text: 'audit' } },
]

t.test('start-up: a noun a line, in one order, and last what to do next', async t => {
  t.equal(
    formatStartUp(ROWS, PLAIN),
    `  Server      shop 1.0.0
  Endpoint    http://127.0.0.1/mcp
  Access      anyone
  Tools       1 from ./tools: probe
  Off         traces, audit; docs/reference/settings.md has how
  Next        toolrack connect
`,
  )
})

t.test('start-up: a server that an option has moved is named to the other commands', async t => {
  const urlForCommands = 'http://127.0.0.1:8080/mcp'

  t.match(formatStartUp(ROWS, { ...PLAIN, urlForCommands }), `toolrack connect --url ${urlForCommands}\n`)
})

t.test('start-up: names take one line, and those without room are counted', async t => {
  const items = Array.from({ length: 30 }, (_, index) => `tool_${index}`)
  const row: StartUpRow = { name: 'tools', on: '30', shown: { noun: 'Tools', text: '30 from ./tools', items } }
  for (const columns of [60, 80, 200]) {
    const [line = ''] = formatStartUp([row], { ...PLAIN, columns }).split('\n')
    t.ok(line.length <= columns)
    t.match(line, /^ {2}Tools {7}30 from \.\/tools: tool_0, .* and \d+ more$/)
  }
  t.equal(
    formatStartUp([row], { ...PLAIN, columns: 10 }),
    formatStartUp([row], { ...PLAIN, columns: 60 }),
    'a narrow one is taken for 60',
  )
})

t.test('start-up: other text is wrapped, and a URL stays whole', async t => {
  const url = `http://127.0.0.1:3000/${'a'.repeat(100)}`
  const text = formatStartUp(
    [
      { name: 'page', on: url, shown: { noun: 'Page', text: url } },
      { name: 'access', on: 'x', shown: { noun: 'Access', text: 'tokens of https://as.example '.repeat(4) } },
    ],
    PLAIN,
  )

  t.match(text, `  Page        ${url}\n`)
  t.ok(text.split('\n').every(line => line.length <= 80 || line.includes(url)))
})

t.test('start-up: nouns are in colour only where there is colour, and control characters never arrive', async t => {
  const path = '/tmp/\u001b]8;;https://evil.example\u0007x\n\u009b2Jy'
  const hostile: StartUpRow = { name: 'audit', on: path, shown: { noun: 'On', text: `audit in ${path}` } }
  const text = formatStartUp([hostile], PLAIN)

  t.match(formatStartUp(ROWS, { ...PLAIN, hasColour: true }), '\u001b[1mTools')
  t.notMatch(text, /(?!\n)\p{Cc}/u)
  t.equal(text.split('\n')[0], '  On          audit in /tmp/ ]8;;https://evil.example x 2Jy')
})

t.test('start-up: where nobody looks it is one line of JSON, with the port that it has', async t => {
  const server = await serve(t, {})
  await until(() => server.lines.some(({ msg }) => msg === 'started'), 'it told')

  const started = server.lines.filter(({ msg }) => msg === 'started')
  t.match(started, [
    {
      level: 30,
      endpoint: server.url,
      page: server.url.replace('/mcp', '/'),
      console: server.url.replace('/mcp', '/console/'),
      'plain HTTP': `POST ${server.url.replace('/mcp', '/tools/NAME')}`,
      tools: '1: probe',
    },
  ])
  t.equal(started.length, 1)
  t.notOk(
    server.lines.some(line => 'raw' in line),
    'every line is JSON',
  )
})

/** The server in a terminal, until it has said `last`; then Ctrl-C. */
async function inTerminal(t: Test, last: RegExp, env: Readonly<Record<string, string | undefined>>) {
  const { path } = tempFolder(t, { 'probe.mjs': `export default { name: 'probe', handler: () => 'alive' }` })
  // By itself: whoever hands a Ctrl-C on may do so late, when it is another one.
  const settings = { PORT: '0', TOOLS_DIR: path, WATCH_TOOLS: 'false' }
  const server = startOnTerminal(t, [], { env: { ...settings, ...env } })
  await server.shows(last)
  server.type('\x03')
  const { stdout: shown, code } = await server.ended
  return { shown, text: toPlainText(shown), code }
}

/** The last line of the table. */
const NEXT = /^ {2}Next +toolrack connect --url http:\S+\/mcp\n/m
/** From the empty line before the table to the one behind it. */
const toLines = (text: string) => /\n\n( {2}Server [\s\S]*?)\n\n/.exec(text)![1]!.split('\n')

t.test('start-up: on a terminal it is one table, behind lines for people', { skip: noTerminal }, async t => {
  const { text, shown, code } = await inTerminal(t, NEXT, { NO_COLOR: undefined })

  t.match(text, /^ {2}Endpoint +http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/m)
  t.match(text, /^ {2}Tools +1 from \S+: probe$/m)
  t.match(text, /^ {2}Off +HTTP\+SSE, Redis, traces, task tools;\s+docs\/reference\/settings\.md has how$/m)
  t.match(text, /^\d\d:\d\d:\d\d Server listening[\s\S]*Next /m, 'it ends with what to do next')
  t.notMatch(text, /\{"level"/)
  t.match(shown, '\u001b[1mTools')
  t.equal(code, 0)
})

const SHOP = {
  'good.mjs': `const tool = (name, more) => ({ name, description: 'x', handler: () => 'x', ...more })
export default [tool('get_price'), tool('pay', { requires: ['PAY_KEY'] }), tool('drop')]`,
  'broken.mjs': 'export default {',
  'none.mjs': 'export const x = 1',
  'more.ts': `import { definePrompt } from 'toolrack'
export default definePrompt({ name: 'p', handler: () => 'x' })`,
}
/** Everything that a server can say at once. */
const LOADED = {
  JWT_SECRET: secret,
  JWT_AUDIENCE: 'https://x.example/mcp',
  API_KEYS_FILE: './keys.json',
  TOOLS_EXCLUDE: 'drop',
  HTTP_SSE: 'true',
  TASK_FALLBACK_TOOLS: 'true',
  AUDIT_FILE: './audit.jsonl',
}

for (const columns of [80, 120]) {
  for (const [what, env] of [
    ['plain', {}],
    ['with all that it may have to say', LOADED],
  ] as const) {
    t.test(`start-up: it fits 15 lines at ${columns} columns, ${what}`, { skip: noTerminal }, async t => {
      const { path: cwd } = tempFolder(t, { ...SHOP, 'keys.json': '{"keys":[]}' })
      const server = startOnTerminal(t, ['start', '.', '--port', '0'], {
        cwd,
        columns,
        env,
      })
      await server.shows(/^ {2}Next .*\n/m)
      await server.shows(/^ {2}Next [\s\S]*?\n\n/m)

      const lines = toLines(toPlainText(server.stdout))
      t.ok(lines.length <= 15, `${lines.length} lines`)
      t.ok(lines.every(line => line.length <= columns))
      t.match(lines.join('\n'), /^ {2}Problems +2 files, explained above: broken\.mjs, none\.mjs$/m)
      t.match(lines.join('\n'), /^ {2}Also +1 prompt$/m)
      t.match(lines.join('\n'), /^ {2}Missing +1 tool: pay \(PAY_KEY\)$/m)
      if (env === LOADED) t.match(lines.join('\n'), /^ {2}Access +API keys of \.\/keys\.json, tokens by JWT_SECRET$/m)
      else t.match(lines.join('\n'), /^ {2}Access +anyone on this machine$/m)
    })
  }
}

t.test('start-up: a terminal without colour gets none', { skip: noTerminal }, async t => {
  const { shown } = await inTerminal(t, NEXT, { NO_COLOR: '1' })

  t.notMatch(shown, /\u001b\[(?:1|2|3\d)m/)
})
