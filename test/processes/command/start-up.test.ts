// What a server says of itself when it has started: one line of JSON, or on a terminal one table.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { SETTINGS } from '../../../src/config/settings.ts'
import toolrack, { createServer, definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import { formatStartUp } from '../../../src/observability/banner.ts'
import { VERSIONS } from '../../../src/protocol/revisions/index.ts'
import { build } from '../../support/app.ts'
import { until } from '../../support/legacy/session.ts'
import { serve } from '../../support/servers/own-process.ts'
import { serverProgram } from '../../support/servers/program.ts'

const secret = 'a secret of 32 bytes, or some more'
const named = (count: number) =>
  Array.from({ length: count }, (_, index) => defineTool({ name: `tool_${index}`, handler: () => 'x' }))

t.test('start-up: what is off says how to turn it on', async t => {
  const { toolrack } = await build(t)

  t.strictSame(toolrack.startUp, {
    endpoint: 'http://127.0.0.1:3000/mcp',
    revisions: VERSIONS.join(' '),
    access: 'everybody who reaches it; JWT_SECRET or JWT_JWKS_URL asks for tokens',
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

t.test('start-up: in an app of somebody else, what that app has to do itself', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack)
  await app.ready()

  t.match(app.toolrack.startUp, {
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

t.test('start-up: the table has one line each, in two columns', async t => {
  t.equal(formatStartUp({ a: '1', longer: '2' }), '  a       1\n  longer  2\n')
})

t.test('start-up: where nobody looks it is one line of JSON, with the port that it has', async t => {
  const server = await serve(t, {})
  await until(() => server.lines.some(({ msg }) => msg === 'started'), 'it told')

  const started = server.lines.filter(({ msg }) => msg === 'started')
  t.match(started, [{ level: 30, endpoint: server.url, tools: '1: probe' }])
  t.equal(started.length, 1)
  t.notOk(
    server.lines.some(line => 'raw' in line),
    'every line is JSON',
  )
})

/** The server in a terminal, until it has said `last`; then Ctrl-C. */
async function inTerminal(t: Test, last: RegExp) {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-terminal-'))
  writeFileSync(join(folder, 'probe.mjs'), `export default { name: 'probe', handler: () => 'alive' }`)
  // By itself: whoever hands a Ctrl-C on may do so late, when it is another one.
  const command = `exec '${process.execPath}' '${serverProgram()}'`
  const env = { ...process.env, PORT: '0', TOOLS_DIR: folder, WATCH_TOOLS: 'false' }
  const terminal = spawn('script', ['-qfec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = new Promise<number | null>(resolve => terminal.on('close', resolve))
  // Which takes the terminal away, and so ends what runs in it.
  t.teardown(() => terminal.kill('SIGKILL'))
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', chunk => (shown += chunk))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const told = until(() => last.test(stripVTControlCharacters(shown)), 'it showed all')
  await told.finally(() => terminal.stdin.write('\x03'))
  const code = await exited
  return { text: stripVTControlCharacters(shown).replaceAll('\r\n', '\n'), code }
}

const skip = existsSync('/usr/bin/script') ? false : 'there is no script(1), which makes a terminal'

t.test('start-up: on a terminal it is one table, beside lines for people', { skip }, async t => {
  const { text, code } = await inTerminal(t, /^ {2}audit .*\r?\n/m)

  t.match(text, /^ {2}endpoint +http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/m)
  t.match(text, /^ {2}tools +1: probe$/m)
  t.match(text, /^ {2}traces +off; OTEL_EXPORTER_OTLP_ENDPOINT turns them on$/m)
  t.match(text, /INFO.*Server listening/)
  t.equal(text.match(/OTEL_EXPORTER_OTLP_ENDPOINT/g)?.length, 1, 'it is said once')
  t.notMatch(text, /\{"level"/)
  t.equal(code, 0)
})
