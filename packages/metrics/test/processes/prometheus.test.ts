// The shipped dashboard and alerts on a real Prometheus, which scrapes a server under load.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { build } from '../../../../test/support/app.ts'
import { yamlOf } from '../../../../test/support/deploy-files.ts'
import { textOf } from '../../../../test/support/metrics/series.ts'
import { expressionsOf, variablesOf } from './dashboard.ts'
import { monitored } from './monitored.ts'
import { MONITORING, NO_PROMETHEUS, type Prometheus, prometheus, promtool } from './prometheus.ts'

const skip = { skip: NO_PROMETHEUS }
const LOAD_MS = 4000
const SHOWN_MS = 60_000

/** The first answer that is so; the last where none is. */
async function whenSo<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  for (const endMs = performance.now() + SHOWN_MS; ; await sleep(250)) {
    const answer = await ask()
    if (isSo(answer) || performance.now() > endMs) return answer
  }
}

const whenShown = ({ query }: Prometheus, expression: string) =>
  whenSo(
    () => query(expression),
    found => found.length > 0,
  )

interface Alert {
  readonly alert: string
  readonly expr: string
}

const ALERTS: Alert[] = yamlOf(`${MONITORING}/alerts.yml`).groups.flatMap(({ rules }: { rules: Alert[] }) => rules)
const METRIC = /\b(?:toolrack|mcp_server|process|nodejs)_[a-z0-9_]+|\bup\b/g

t.test('metrics: a Prometheus scrapes a server under load, and shows what it did', skip, async t => {
  const server = await monitored(t)
  const monitor = await prometheus(t, [server.address])
  const answered = await server.load(LOAD_MS)

  const seen = await whenSo(
    async () => (await monitor.query('toolrack_tool_calls_total{tool="fine"}'))[0],
    sample => Number(sample?.value[1]) === answered,
  )
  t.match(seen, {
    metric: { job: 'toolrack', instance: server.address, outcome: 'ok' },
    value: [Number, String(answered)],
  })
  // A busy machine may have had it wait once.
  t.strictSame(await whenSo(monitor.health, ([health]) => health === 'up'), ['up'])

  await t.test('every query of the dashboard returns series', async t => {
    for (const { title, expression } of expressionsOf(`${MONITORING}/grafana-dashboard.json`))
      t.ok((await whenShown(monitor, expression)).length > 0, `${title}: ${expression}`)
  })

  await t.test('every variable of the dashboard has values', async t => {
    for (const { name, metric, label } of variablesOf(`${MONITORING}/grafana-dashboard.json`))
      t.ok((await whenShown(monitor, `count by (${label}) (${metric})`)).length > 0, name)
  })

  await t.test('every metric of the alerts exists', async t => {
    const names = new Set(ALERTS.flatMap(({ expr }) => expr.match(METRIC) ?? []))

    t.ok(names.size > 10)
    for (const name of names) t.ok((await whenShown(monitor, `count(${name})`)).length > 0, name)
  })

  await t.test('every alert is evaluated', async t => {
    const rules = await whenSo(monitor.rules, all => all.every(({ health }) => health !== 'unknown'))

    t.strictSame(
      rules.map(({ name, health, lastError }) => [name, health, lastError]).sort(),
      ALERTS.map(({ alert }) => [alert, 'ok', undefined]).sort(),
    )
  })
})

t.test('metrics: promtool finds nothing to say of the metrics', skip, async t => {
  const server = await monitored(t)
  await server.load(200)

  const { status, output } = promtool(['check', 'metrics'], await textOf(server.app))

  t.equal(output, '')
  t.equal(status, 0)
})

t.test('metrics: nor of those of a server that has done nothing yet', skip, async t => {
  t.strictSame(promtool(['check', 'metrics'], await textOf(await build(t))), { status: 0, output: '' })
})

t.test('monitoring: the alerts are rules, each fires when it should, and not when it should not', skip, async t => {
  const checked = promtool(['check', 'rules', `${MONITORING}/alerts.yml`])
  const tried = promtool(['test', 'rules', `${MONITORING}/alerts.test.yml`])

  t.equal(checked.status, 0, checked.output)
  t.match(checked.output, `SUCCESS: ${ALERTS.length} rules found`)
  t.equal(tried.status, 0, tried.output)
})

t.test('monitoring: Prometheus takes the configuration that is shipped', skip, async t => {
  const { status, output } = promtool(['check', 'config', `${MONITORING}/prometheus.yml`])

  t.equal(status, 0, output)
})
