// deploy/helm/toolrack-broker: what the chart makes of the values that docs/guides/broker.md shows, and what
// it refuses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSettings, SETTING_NAMES } from '../../../packages/broker/src/settings.ts'
import { type Document, exampleOf, yamlOf } from '../../support/deploy-files.ts'
import { tempFolder } from '../../support/tools-folder.ts'
import { helm, objectsOf, runHelm } from './programs.ts'

const CHART = 'deploy/helm/toolrack-broker'
const values = join(
  tempFolder(t, { 'broker-values.yaml': exampleOf('docs/guides/broker.md', 'broker-values.yaml') }).path,
  'broker-values.yaml',
)
const args = (...more: string[]) => ['auth', CHART, '--namespace', 'toolrack', '--values', values, ...more]
const render = (...more: string[]) => objectsOf(helm('template', ...args(...more)))
const of = (objects: readonly Document[], kind: string) => objects.find(object => object.kind === kind)!

const objects = render('--set', 'serviceMonitor.enabled=true')
const { spec: pod, metadata } = of(objects, 'Deployment').spec.template
const [container] = pod.containers
const settings: Record<string, string> = of(objects, 'ConfigMap').data

t.test('helm lint has nothing to say, and the chart is of this version of the broker', async t => {
  const { status, stdout } = runHelm('lint', '--strict', CHART, '--values', values)
  t.equal(status, 0, stdout)
  t.notMatch(stdout, /\[(?:WARNING|ERROR)\]/)
  const { version } = JSON.parse(readFileSync('packages/broker/package.json', 'utf8'))

  t.equal(yamlOf(`${CHART}/Chart.yaml`).appVersion, version)
  t.equal(container.image, `registry.example/toolrack-broker:${version}`)
})

t.test('the broker starts with these settings, and reads its secrets from files of the Secret', async t => {
  const files = Object.keys(settings).filter(name => name.endsWith('_FILE'))
  const { path } = tempFolder(t, {
    UPSTREAM_CLIENT_SECRET: 'secret',
    REDIS_URL: 'redis://broker-redis:6379',
    SIGNING_KEYS: '{}',
  })
  const mounted = files.map(name => [name, settings[name]!.replace('/run/secrets/broker', path)])
  // As the image sets it, which the ConfigMap has to take away.
  const read = readSettings({ KEYS_PATH: '/data/keys.json', ...settings, ...Object.fromEntries(mounted) })

  t.match(read, { BROKER_URL: 'https://auth.example.com', REDIS_URL: 'redis://broker-redis:6379', METRICS_PORT: 9464 })
  t.strictSame(
    Object.keys(settings).filter(name => !SETTING_NAMES.includes(name.replace(/_FILE$/, ''))),
    [],
  )
  const [{ secret }] = pod.volumes
  t.strictSame(
    secret.items.map(({ path }: { path: string }) => `${container.volumeMounts[0].mountPath}/${path}`).sort(),
    files.map(name => settings[name]).sort(),
  )
  t.equal(secret.secretName, 'toolrack-broker')
})

t.test('the host of the ingress is that of BROKER_URL, without its port', async t => {
  const ingress = of(render('--set', 'settings.BROKER_URL=https://auth.example.com:8443'), 'Ingress')

  t.equal(ingress.spec.rules[0].host, 'auth.example.com')
  t.strictSame(ingress.spec.tls[0].hosts, ['auth.example.com'])
})

t.test('selectors find the pods, and ports agree', async t => {
  const selectors: Record<string, string>[] = [
    of(objects, 'Deployment').spec.selector.matchLabels,
    of(objects, 'Service').spec.selector,
    of(objects, 'PodDisruptionBudget').spec.selector.matchLabels,
    of(objects, 'ServiceMonitor').spec.selector.matchLabels,
    of(objects, 'NetworkPolicy').spec.podSelector.matchLabels,
    pod.topologySpreadConstraints[0].labelSelector.matchLabels,
  ]
  for (const selector of selectors)
    for (const [label, value] of Object.entries(selector)) t.equal(metadata.labels[label], value, label)
  t.strictSame(
    container.ports.map((port: Document) => [port.name, port.containerPort]),
    [
      ['http', 4000],
      ['metrics', 9464],
    ],
  )
  t.strictSame(
    of(objects, 'Service').spec.ports.map(({ targetPort }: Document) => targetPort),
    ['http', 'metrics'],
  )
  const [{ host, http }] = of(objects, 'Ingress').spec.rules
  t.equal(host, 'auth.example.com')
  t.equal(http.paths[0].backend.service.name, of(objects, 'Service').metadata.name)
})

t.test('pods are hardened, and stop within their time', async t => {
  t.match(pod, { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true, runAsUser: 1000 } })
  t.strictSame(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  t.equal(pod.volumes[0].secret.defaultMode, 0o440)
  t.ok(pod.terminationGracePeriodSeconds > Number(container.lifecycle.preStop.exec.command[1]) + 12)
})

for (const [set, reason] of [
  ['settings.ALLOWED_USERS=', 'settings.ALLOWED_USERS: expected a value'],
  ['settings.REDIS_URL=redis://r', 'settings.REDIS_URL: expected it in the Secret'],
  ['secrets.existingSecret=', 'secrets.existingSecret: expected'],
  ['secrets.keys={REDIS_URL,UPSTREAM_CLIENT_SECRET}', 'secrets.keys: expected SIGNING_KEYS among them'],
  ['settings.TRUST_PROXY=', 'settings.TRUST_PROXY: expected'],
  ['image.repository=', 'image.repository: expected'],
] as const)
  t.test(`it refuses ${set}`, async t => {
    const { status, stderr } = runHelm('template', ...args('--set', set))

    t.not(status, 0)
    t.match(stderr, reason)
  })
