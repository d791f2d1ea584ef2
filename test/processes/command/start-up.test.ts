// What a server says of itself when it has started: one line of JSON, or on a terminal one table.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { readPackageVersion } from '../../../src/config/environment.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import toolrack, { createServer, definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import { formatStartUp } from '../../../src/observability/start-up-table.ts'
import { VERSIONS } from '../../../src/protocol/revisions/index.ts'
import { build } from '../../support/app.ts'
import { noTerminal, startOnTerminal, toPlainText } from '../../support/command-line.ts'
import { until } from '../../support/eventually.ts'
import { serve, start } from '../../support/servers/own-process.ts'
import { serverProgram } from '../../support/servers/program.ts'
import { tempFolder } from '../../support/tools-folder.ts'

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
    jwtSecret: secret,
    publicUrl: 'https://mcp.example/mcp',
    metricsToken: 'a token of 16 bytes',
    taskFallbackTools: true,
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
  const issuer = { jwtJwksUrl: 'https://as.example/keys', jwtIssuer: 'https://as.example' }
  const { toolrack: one } = await build(t, { ...issuer, metricsPort: 0 })
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
const ROWS = [
  { name: 'endpoint', on: 'http://127.0.0.1:3000/mcp' },
  { name: 'page', on: 'http://127.0.0.1:3000/', link: 'page' },
  { name: 'access', on: 'everybody', hint: 'JWT_SECRET asks for tokens', hintName: 'access control' },
  { name: 'tools', on: '1: probe' },
  { name: 'audit', hint: 'AUDIT_FILE turns it on' },
] as const

t.test('start-up: the table says what is served first, then what is off, and ends with the link', async t => {
  t.equal(
    formatStartUp(ROWS, PLAIN),
    `  tools              1: probe
  endpoint           http://127.0.0.1:3000/mcp
  access             everybody

  Off, or could be more
  access control     JWT_SECRET asks for tokens
  audit              AUDIT_FILE turns it on

  connect a client   toolrack connect
  open in a browser  http://127.0.0.1:3000/
`,
  )
})

t.test('start-up: a server that an option has moved is named to the other commands', async t => {
  const urlForCommands = 'http://127.0.0.1:8080/mcp'

  t.match(formatStartUp(ROWS, { ...PLAIN, urlForCommands }), `toolrack connect --url ${urlForCommands}\n`)
})

t.test('start-up: with nothing off there is no block for it', async t => {
  t.equal(
    formatStartUp([{ name: 'tools', on: '1: probe' }], PLAIN),
    '  tools             1: probe\n\n  connect a client  toolrack connect\n',
  )
})

t.test('start-up: lines are wrapped at the width of the terminal, links are not', async t => {
  const words = Array.from({ length: 30 }, (_, index) => `tool_${index}`).join(' ')
  const url = `http://127.0.0.1:3000/${'a'.repeat(100)}`
  for (const columns of [60, 61, 100]) {
    const text = formatStartUp(
      [
        { name: 'tools', on: words },
        { name: 'page', on: url, link: 'page' },
      ],
      {
        ...PLAIN,
        columns,
      },
    )
    const lines = text.split('\n')
    t.ok(lines.filter(line => !line.endsWith(url)).every(line => line.length <= columns))
    t.equal(
      lines
        .filter(line => /tool_/.test(line))
        .map(line => line.slice(21))
        .join(' '),
      words,
    )
    t.ok(lines.some(line => line === `  open in a browser  ${url}`))
  }
  t.equal(
    formatStartUp([{ name: 'tools', on: words }], { ...PLAIN, columns: 10 }),
    formatStartUp([{ name: 'tools', on: words }], { ...PLAIN, columns: 60 }),
  )
})

t.test('start-up: names are in colour only where there is colour, and control characters never arrive', async t => {
  const hostile = [{ name: 'audit', on: '/tmp/\u001b]8;;https://evil.example\u0007x\n\u009b2Jy' }]
  const text = formatStartUp(hostile, PLAIN)

  t.match(formatStartUp(ROWS, { ...PLAIN, hasColour: true }), '\u001b[2mtools')
  t.notMatch(text, /(?!\n)\p{Cc}/u)
  t.equal(text.split('\n')[0], '  audit             /tmp/ ]8;;https://evil.example x 2Jy')
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
const LINK = /^ {2}open in a browser +http:\/\/127\.0\.0\.1:[1-9]\d*\/\n/m

t.test('start-up: on a terminal it is one table, behind lines for people', { skip: noTerminal }, async t => {
  const { text, shown, code } = await inTerminal(t, LINK, { NO_COLOR: undefined })

  t.match(text, /^ {2}endpoint +http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/m)
  t.match(text, /^ {2}tools +1: probe$/m)
  t.match(text, /^ {2}traces +OTEL_EXPORTER_OTLP_ENDPOINT turns them on$/m)
  t.match(
    text,
    /^ {2}connect a client +toolrack connect --url http:\S+\/mcp\n {2}console +http:\S+\/console\/\n {2}open in a browser /m,
  )
  t.match(text, /INFO.*Server listening[\s\S]*open in a browser/, 'the link is what it ends with')
  t.equal(text.match(/OTEL_EXPORTER_OTLP_ENDPOINT/g)?.length, 1, 'it is said once')
  t.notMatch(text, /\{"level"/)
  t.match(shown, '\u001b[2mtools')
  t.equal(code, 0)
})

t.test('start-up: a terminal without colour gets none', { skip: noTerminal }, async t => {
  const { shown } = await inTerminal(t, LINK, { NO_COLOR: '1' })

  t.notMatch(shown, /\u001b\[(?:1|2|3\d)m/)
})
