// Whether anybody listens: without an SDK nothing is made, and beside one that runs none is started.
import { trace } from '@opentelemetry/api'
import t from 'tap'
import { wantsTelemetry } from '../../../../src/config/environment.ts'
import { build, callTool } from '../../../../test/support/app.ts'
import { tool } from '../../../../test/support/steered-tools.ts'
import { newSpans, startSdk } from '../../../../test/support/tracing.ts'
import { hasServiceName } from '../../src/environment.ts'
import { isTelemetryOn, startTelemetry } from '../../src/sdk.ts'
import { createTracing } from '../../src/tracing.ts'

/** Until the last test of this file. */
const start = () => startSdk(t)

const active = tool('active', () => String(trace.getActiveSpan()?.isRecording()))

t.test('telemetry: without an SDK nothing is traced, also where one is started later', async t => {
  const app = await build(t, { tools: [active] })
  t.equal(isTelemetryOn(), false)
  t.equal(createTracing(), undefined)
  t.match(app.toolrack.startUp['traces'], /^off/)

  start()

  t.equal((await callTool(app, 'active')).content[0].text, 'undefined')
  t.strictSame(newSpans(), [])
})

t.test('telemetry: a host app that started one before it made its server gets spans', async t => {
  const app = await build(t, { tools: [active] })

  t.equal((await callTool(app, 'active')).content[0].text, 'true')
  t.ok(newSpans().some(({ name }) => name === 'tools/call active'))
  t.equal(app.toolrack.startUp['traces'], 'OpenTelemetry')
})

t.test('telemetry: where one runs, no other is started', async t => {
  t.equal(isTelemetryOn(), true)
  t.equal(await startTelemetry('shop'), undefined)
})

t.test('telemetry: which settings ask for it', async t => {
  const asked = [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318' },
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:4318' },
    { OTEL_TRACES_EXPORTER: 'console' },
    { OTEL_METRICS_EXPORTER: 'console' },
  ]
  for (const environment of asked) {
    t.equal(wantsTelemetry(environment), true, Object.keys(environment).join())
    for (const disabled of ['true', 'TRUE', ' True '])
      t.equal(wantsTelemetry({ ...environment, OTEL_SDK_DISABLED: disabled }), false, disabled)
  }
  for (const environment of [
    {},
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_SERVICE_NAME: 'x' },
    { OTEL_METRICS_EXPORTER: '' },
  ])
    t.equal(wantsTelemetry(environment), false, JSON.stringify(environment))
})

t.test('telemetry: what names the service comes before our name', async t => {
  t.equal(hasServiceName({ OTEL_SERVICE_NAME: 'rack-1' }), true)
  t.equal(hasServiceName({ OTEL_RESOURCE_ATTRIBUTES: 'a=1,service.name=rack-1' }), true)
  t.equal(hasServiceName({ OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=a,my.service.name=b' }), false)
  t.equal(hasServiceName({}), false)
})
