// deploy/monitoring: what is shipped fits together, and to the server.
import { existsSync } from 'node:fs'
import t from 'tap'
import { readEnvironment } from '../../../../packages/environment/src/read.ts'
import { type Document, yamlOf } from '../../../../test/support/deploy-files.ts'
import { dashboardOf, expressionsOf, type Panel } from './dashboard.ts'
import { MONITORING } from './prometheus.ts'

const DASHBOARD = `${MONITORING}/grafana-dashboard.json`
const { services, networks, volumes } = yamlOf('docker-compose.yml')
const rules: Document[] = yamlOf(`${MONITORING}/alerts.yml`).groups.flatMap((group: Document) => group.rules)
const tests: Document[] = yamlOf(`${MONITORING}/alerts.test.yml`).tests

t.test('monitoring: every alert has a name of its own, a severity, and says what to do', async t => {
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, labels, annotations } of rules) {
    t.match(labels, { severity: /^(?:warning|critical)$/ }, alert)
    t.match(annotations, { summary: /\{\{/, description: /\.$/ }, alert)
  }
})

t.test('monitoring: every alert is shown to fire, and shown not to', async t => {
  const cases = tests.flatMap(({ alert_rule_test: shown }) => shown)
  for (const { alert } of rules) {
    const ofAlert = cases.filter(({ alertname }) => alertname === alert)
    t.ok(
      ofAlert.some(({ exp_alerts: expected }) => expected.length > 0),
      `${alert} fires`,
    )
    t.ok(
      ofAlert.some(({ exp_alerts: expected }) => expected.length === 0),
      `${alert} does not`,
    )
  }
})

t.test('monitoring: the dashboard is one of Grafana, which asks the source that is chosen', async t => {
  const { uid, title, schemaVersion, panels, templating } = dashboardOf(DASHBOARD)

  t.match({ uid, title, schemaVersion }, { uid: 'toolrack', title: 'Toolrack', schemaVersion: Number })
  t.match(templating.list[0], { name: 'datasource', type: 'datasource', query: 'prometheus' })
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  for (const { title, type, datasource, targets = [] } of panels.filter(panel => panel.type !== 'row')) {
    t.match(type, /^(?:timeseries|stat)$/, title)
    t.ok(targets.length > 0, title)
    t.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
    for (const source of [datasource, ...targets.map(target => target.datasource)])
      t.match(source, { type: 'prometheus', uid: /^\$\{datasource\}$/ }, title)
  }
})

t.test('monitoring: no panel of the dashboard lies on another, or past its edge', async t => {
  const { panels } = dashboardOf(DASHBOARD)
  const overlap = (a: Panel['gridPos'], b: Panel['gridPos']) =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

  for (const [at, { title, gridPos }] of panels.entries()) {
    t.ok(gridPos.x + gridPos.w <= 24, title)
    for (const other of panels.slice(at + 1)) t.notOk(overlap(gridPos, other.gridPos), `${title}, ${other.title}`)
  }
})

t.test('monitoring: the dashboard shows every metric that a server has of its own', async t => {
  const asked = expressionsOf(DASHBOARD)
    .map(({ expression }) => expression)
    .join('\n')

  for (const name of [
    ...['requests_total', 'refusals_total', 'tool_calls_total', 'tasks_ended_total', 'limiter_decisions_total'],
    ...[
      'replayed_events_total',
      'jwks_fetches_total',
      'unhandled_errors_total',
      'requests_in_flight',
      'calls',
      'calls_max',
    ],
    ...['stray_runs', 'sessions', 'sessions_max', 'listeners', 'streams', 'streams_max', 'tasks', 'tasks_max'],
    ...['task_queue', 'degraded'],
  ])
    t.match(asked, new RegExp(`\\btoolrack_${name}\\{`), name)
  t.match(asked, /mcp_server_operation_duration_seconds_bucket/)
})

t.test('monitoring: a compose profile, which asks the replicas where they answer, and nothing else', async t => {
  const { prometheus, grafana } = services
  const { scrape_configs: jobs } = yamlOf(`${MONITORING}/prometheus.yml`)
  const replicas = Object.entries<Document>(services).filter(([, { build }]) => build)

  t.strictSame([prometheus.profiles, grafana.profiles], [['monitoring'], ['monitoring']])
  t.strictSame(
    jobs.map((job: Document) => [job.job_name, job.static_configs[0].targets]),
    [['toolrack', replicas.map(([name, { environment }]) => `${name}:${environment.METRICS_PORT}`)]],
  )
  for (const [name, { environment, ports }] of replicas) {
    t.equal(readEnvironment({ METRICS_PORT: environment.METRICS_PORT }).metricsPort, 9464, name)
    t.equal(ports, undefined, name)
  }
})

t.test('monitoring: what is published of it is on loopback, and Grafana reaches Prometheus alone', async t => {
  const { prometheus, grafana } = services

  for (const { ports } of [prometheus, grafana])
    for (const port of ports) t.match(port, /^127\.0\.0\.1:(?!3000:)\d+:\d+$/)
  t.strictSame(prometheus.networks, ['back', 'watch'])
  t.strictSame(grafana.networks, ['watch'])
  t.ok('watch' in networks && 'prometheus' in volumes)
  t.match(grafana.environment, { GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer', GF_AUTH_DISABLE_LOGIN_FORM: 'true' })
})

t.test('monitoring: each file that is mounted is there, and found where it is looked for', async t => {
  const mounts: [string, string][] = [services.prometheus, services.grafana]
    .flatMap(({ volumes }: Document): string[] => volumes)
    .filter(mount => mount.startsWith('./'))
    .map(mount => mount.split(':') as [string, string])
  for (const [source] of mounts) t.ok(existsSync(source), source)
  const targetOf = (file: string) => mounts.find(([source]) => source === `./${MONITORING}/${file}`)?.[1]

  const { providers } = yamlOf(`${MONITORING}/grafana-dashboards.yml`)
  const { datasources } = yamlOf(`${MONITORING}/grafana-datasource.yml`)
  t.equal(targetOf('alerts.yml'), '/etc/prometheus/alerts.yml')
  t.ok(services.prometheus.command.includes(`--config.file=${targetOf('prometheus.yml')}`))
  t.ok(targetOf('grafana-dashboard.json')!.startsWith(`${providers[0].options.path}/`))
  t.equal(datasources[0].url, 'http://prometheus:9090')
})

t.test('monitoring: in Kubernetes Prometheus finds the pods by their label', async t => {
  const [job] = yamlOf(`${MONITORING}/prometheus.kubernetes.yml`).scrape_configs
  const deployment = yamlOf('deploy/kubernetes/deployment.yaml')

  t.match(job, { job_name: 'toolrack', kubernetes_sd_configs: [{ role: 'pod' }] })
  const kept = job.relabel_configs.find(({ action }: Document) => action === 'keep')
  t.equal(kept.source_labels[0], '__meta_kubernetes_pod_label_app_kubernetes_io_name')
  t.equal(deployment.spec.template.metadata.labels['app.kubernetes.io/name'], kept.regex)
})
