// OTEL_* settings and the process: what is loaded, what is said if that is missing, and what is sent at the end.
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import t from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { callOver, type Process, serve } from '../../../../test/support/servers/own-process.ts'
import { collector } from './collector.ts'
import { settingsFor, traced } from './traced.ts'

const HOOK = `--import=${new URL('modules-hook.mjs', import.meta.url)}`
const loadedBy = ({ stdout }: { stdout: string }) => [
  ...new Set([...stdout.matchAll(/^loaded (\S+)$/gm)].map(([, name]) => name)),
]

/** What it said of itself, which comes a moment after it listens. */
async function startOf(server: Process) {
  const started = () => server.lines.find(({ msg }) => msg === 'started')
  await until(() => started() !== undefined, 'it told of its start')
  return started()
}

t.test('tracing: without OTEL_* nothing of an SDK is loaded', async t => {
  const server = await serve(t, {}, { NODE_OPTIONS: HOOK })

  await callOver(server.url, 'probe')

  t.strictSame(loadedBy(server), ['@opentelemetry/api'])
  t.match(await startOf(server), { traces: 'off; OTEL_EXPORTER_OTLP_ENDPOINT turns them on' })
})

t.test('tracing: without OTEL_* and metrics, whose library looks for spans, nothing of OpenTelemetry is', async t => {
  const server = await serve(t, {}, { NODE_OPTIONS: HOOK, METRICS: 'false' })

  await callOver(server.url, 'probe')

  t.strictSame(loadedBy(server), [])
})

t.test('tracing: with OTEL_SDK_DISABLED neither', async t => {
  const { url } = await collector(t)
  const server = await serve(t, {}, { NODE_OPTIONS: HOOK, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' })

  t.strictSame(loadedBy(server), ['@opentelemetry/api'])
})

t.test('tracing: with an endpoint it is loaded', async t => {
  const server = await traced(t, { NODE_OPTIONS: HOOK })

  t.ok(loadedBy(server).includes('@opentelemetry/sdk-node'))
  t.match(await startOf(server), { traces: 'OpenTelemetry' })
})

t.test('tracing: an endpoint without the SDK is one warning that says what is missing, and calls go on', async t => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  const server = await serve(t, {}, { NODE_OPTIONS: HOOK, WITHOUT_SDK: 'true', ...endpoint })

  t.equal((await callOver(server.url, 'probe')).status, 200)
  t.match(await startOf(server), { traces: 'off; OTEL_* ask for them; the log warns why there are none' })
  server.child.kill('SIGTERM')

  t.equal(await server.exited, 0)
  t.match(
    server.lines.filter(({ level }) => level >= 40),
    [
      {
        level: 40,
        msg: 'telemetry is not installed',
        hint: 'npm install @opentelemetry/sdk-node, or unset OTEL_*',
      },
    ],
  )
})

for (const [what, sdk, reason] of [
  ['is half installed', `import 'a-package-that-is-missing'`, /Cannot find package 'a-package-that-is-missing'/],
  ['throws as it is loaded', `throw new Error('no\\nSDK')`, /^no SDK$/],
  [
    'throws as it starts',
    `export class NodeSDK { start() { throw new Error('OTEL_X: expected y') } }`,
    /^OTEL_X: expected y$/,
  ],
  ['is another package', `export const NodeSDK = 1`, /NodeSDK is not a constructor/],
] as const) {
  t.test(`tracing: an SDK that ${what} is one warning with the reason, and calls go on`, async t => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
    const server = await serve(t, {}, { NODE_OPTIONS: HOOK, SDK_SOURCE: sdk, ...endpoint })

    t.equal((await callOver(server.url, 'probe')).status, 200)
    t.match(await startOf(server), { traces: /^off; OTEL_\* ask for them/ })
    t.match(
      server.lines.filter(({ level }) => level >= 40),
      [{ level: 40, msg: 'telemetry could not be started', reason, hint: /npm install @opentelemetry\/sdk-node/ }],
    )
    server.child.kill('SIGTERM')
    t.equal(await server.exited, 0)
  })
}

for (const bad of [
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'nonsense' },
  { OTEL_TRACES_EXPORTER: 'nonsense' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: ':::' },
  { OTEL_TRACES_EXPORTER: 'console', OTEL_TRACES_SAMPLER: 'nonsense' },
]) {
  t.test(`tracing: ${Object.entries(bad).at(-1)!.join('=')} is a warning with the reason, and calls go on`, async t => {
    const server = await serve(t, {}, bad as unknown as Record<string, string>)

    t.equal((await callOver(server.url, 'probe')).status, 200)
    const warnings = () => server.lines.filter(({ msg }) => /^telemetry/.test(msg))
    await until(() => warnings().length > 0, 'the log told')
    t.match(warnings()[0], { level: 40, reason: /nonsense|:::|Invalid URL/ })
  })
}

t.test('tracing: the service is the server, unless OTEL_SERVICE_NAME says otherwise', async t => {
  const server = await traced(t, { SERVER_NAME: '@acme/prices' })

  await callOver(server.url, 'quick')

  await until(() => server.collector.resources.length > 0, 'something was sent')
  t.equal(server.collector.resources[0]!['service.name'], '@acme/prices')
})

t.test('tracing: what is left is sent at SIGTERM, with the call that was under way', async t => {
  const late = {
    OTEL_BSP_SCHEDULE_DELAY: '60000',
    OTEL_METRIC_EXPORT_INTERVAL: '60000',
    OTEL_METRIC_EXPORT_TIMEOUT: '30000',
  }
  const ended = async () => {
    const server = await traced(t, late)
    await callOver(server.url, 'quick')
    const underWay = callOver(server.url, 'slow')
    await until(() => server.lines.some(({ msg }) => msg === 'tool log'), 'the call began')
    t.strictSame(server.collector.spans, [])

    server.child.kill('SIGTERM')

    t.equal((await underWay).status, 200)
    t.equal(await server.exited, 0)
    return server
  }
  const wasLate = ({ lines }: Process) => lines.some(({ msg }) => msg === 'the last spans and metrics were not sent')

  let server = await ended()
  // It has 3 s for that, in which the collector here may stand still with the machine.
  for (let tries = 1; tries < 4 && wasLate(server); tries++) server = await ended()

  const names = server.collector.spans.map(({ name }) => name)
  t.ok(names.includes('tools/call quick') && names.includes('tools/call slow'), String(names))
  t.equal(server.collector.points('mcp.server.operation.duration').length, 2)
})

t.test('tracing: a collector that takes nothing holds up neither calls nor the end, and the log says so', async t => {
  const sockets: net.Socket[] = []
  const stuck = net.createServer(socket => void sockets.push(socket.on('error', () => {})))
  await new Promise<void>(resolve => stuck.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    stuck.close()
  })
  const url = `http://127.0.0.1:${(stuck.address() as net.AddressInfo).port}`
  const server = await serve(t, {}, { ...settingsFor({ url }), DRAIN_MS: '200' })

  t.equal((await callOver(server.url, 'probe')).status, 200)
  server.child.kill('SIGTERM')

  t.equal(await server.exited, 0)
  t.match(
    server.lines.find(({ msg }) => msg === 'the last spans and metrics were not sent'),
    { level: 40, reason: /./ },
  )
})

t.test('tracing: a collector that is not there is told by the log, without a stack', async t => {
  const server = await serve(t, {}, settingsFor({ url: 'http://127.0.0.1:1' }))

  await callOver(server.url, 'probe')

  await until(() => server.lines.some(({ msg }) => msg === 'telemetry'), 'the log told')
  const line = server.lines.find(({ msg }) => msg === 'telemetry')
  t.match(line, { level: 40, reason: /export|ECONNREFUSED/ })
  t.notMatch(line.reason, /node_modules|node:|stack/)
})

t.test('tracing: a collector that refuses is told by the log once in a while, however often it refuses', async t => {
  let refused = 0
  const refusing = http.createServer((request, response) => {
    refused++
    request.resume()
    response.writeHead(401).end()
  })
  refusing.listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  t.teardown(() => refusing.close())
  const url = `http://127.0.0.1:${(refusing.address() as net.AddressInfo).port}`
  const server = await serve(t, {}, settingsFor({ url }))

  await callOver(server.url, 'probe')
  await until(() => refused > 4, 'several exports were refused')
  await until(() => server.lines.some(({ msg }) => msg === 'telemetry'), 'the log told')

  const told = server.lines.filter(({ msg }) => msg === 'telemetry')
  t.equal(told.length, 1)
  t.match(told, [{ level: 40, reason: /export|Unauthorized/ }])
})

t.test('tracing: with metrics alone there are metrics, no spans, and no trace id that nobody has', async t => {
  const server = await traced(t, { OTEL_TRACES_EXPORTER: 'none' })

  await callOver(server.url, 'quick')

  await until(() => server.collector.points('mcp.server.operation.duration').length > 0, 'the metric was sent')
  t.strictSame(server.collector.spans, [])
  const line = server.lines.find(({ msg }) => msg === 'audit')
  t.equal(line.tool, 'quick')
  t.notOk('traceId' in line)
})
