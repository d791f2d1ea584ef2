// deploy/helm/toolrack: what the chart makes of values, beside what kustomize makes, and what it
// refuses.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { assertBind } from '../../../src/config/access.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { type Document, exampleOf, imageEnvironment, yamlOf } from '../../support/deploy-files.ts'
import { tempFolder } from '../../support/tools-folder.ts'
import { CLUSTER_SETTINGS, checkManifests, find, settingsOf, withoutFiles } from './manifests.ts'
import { helm, kubectl, objectsOf, runHelm } from './programs.ts'

const CHART = 'deploy/helm/toolrack'
const VALUES = join(import.meta.dirname, 'helm')
/** `npm run helm:expected` writes the files anew: read the difference before you commit it. */
const isWriting = process.argv.includes('--write')

const render = (...args: string[]) => helm('template', 'toolrack', CHART, '--namespace', 'toolrack', ...args)
const CASES = readdirSync(VALUES)
  .filter(name => name.endsWith('.yaml') && !name.endsWith('.expected.yaml'))
  .map(name => basename(name, '.yaml'))
const valuesOf = (name: string) => join(VALUES, `${name}.yaml`)

/** The fewest values, as `--set` of Helm has them. */
const LEAST = [
  'image.repository=registry.example/toolrack',
  'settings.JWT_ISSUER=https://as.example/',
  'settings.JWT_JWKS_URL=https://as.example/jwks',
  'secrets.existingSecret=toolrack',
  'secrets.keys={REDIS_URL}',
]
const least = (...more: string[]) => [...LEAST, ...more].flatMap(each => ['--set', each])

t.test('helm lint has nothing to say', async t => {
  for (const name of CASES) {
    const { status, stdout } = runHelm('lint', '--strict', CHART, '--values', valuesOf(name))
    t.equal(status, 0, `${name}: ${stdout}`)
    t.notMatch(stdout, /\[(?:WARNING|ERROR)\]/, name)
  }
  t.equal(runHelm('lint', '--strict', CHART).status, 0, 'without values')
})

t.test('the chart is of this version of the server', async t => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

  t.equal(yamlOf(`${CHART}/Chart.yaml`).appVersion, version)
  t.equal(
    find(objectsOf(render(...least())), 'Deployment').spec.template.spec.containers[0].image,
    `registry.example/toolrack:${version}`,
  )
})

for (const name of CASES) {
  const rendered = render('--values', valuesOf(name))
  const objects = objectsOf(rendered)

  t.test(`${name}.yaml makes what ${name}.expected.yaml says`, async t => {
    const expected = join(VALUES, `${name}.expected.yaml`)
    if (isWriting) writeFileSync(expected, rendered)

    t.equal(rendered, readFileSync(expected, 'utf8'))
  })

  t.test(`the objects of ${name}.yaml`, t => checkManifests(t, objects))

  t.test(`the server starts with the settings of ${name}.yaml, and knows each`, async t => {
    const settings = settingsOf(objects)
    const environment = { ...imageEnvironment(), ...withoutFiles(settings), ...guard(settings) }

    t.strictSame(
      Object.keys(settings).filter(each => !CLUSTER_SETTINGS.has(each)),
      [],
    )
    t.doesNotThrow(() => assertBind('0.0.0.0', readEnvironment(environment)))
  })
}

t.test('the values of docs/guides/deploy.md make what that page says', async t => {
  const { path } = tempFolder(t, { 'my-values.yaml': exampleOf('docs/guides/deploy.md', 'my-values.yaml') })
  const objects = objectsOf(render('--values', join(path, 'my-values.yaml')))

  await checkManifests(t, objects)
  t.match(settingsOf(objects), {
    PUBLIC_URL: 'https://tools.acme.example/mcp',
    TOOLS_DIR: '/app/tools,/app/more-tools',
  })
  t.match(find(objects, 'Deployment').spec.template.spec.containers[0].image, 'registry.example/acme/tools:1.2.3')
})

/** What stands for the Secret, which this machine has not. */
const guard = (settings: Record<string, string>) => ('JWT_JWKS_URL' in settings ? {} : { JWT_SECRET: 'x'.repeat(32) })

t.test('it makes what kustomize makes, but for labels and the account', async t => {
  const [chart, cluster] = [
    objectsOf(render('--values', valuesOf('cluster'))),
    objectsOf(kubectl('kustomize', 'deploy/kubernetes')),
  ]

  for (const kind of [
    'Deployment',
    'Service',
    'Ingress',
    'HorizontalPodAutoscaler',
    'PodDisruptionBudget',
    'NetworkPolicy',
  ])
    t.strictSame(withoutNames(find(chart, kind)), withoutNames(find(cluster, kind)), kind)
  const { REDIS_PREFIX, LOG_LEVEL, ...settings } = settingsOf(cluster)
  t.strictSame(settingsOf(chart), settings)
  t.strictSame([REDIS_PREFIX, LOG_LEVEL], [SETTINGS.REDIS_PREFIX.fallback, SETTINGS.LOG_LEVEL.fallback])
})

/** What both have, in the form in which Kubernetes compares it. */
function withoutNames(object: Document): Document {
  const { metadata, ...rest } = structuredClone(object)
  const instance = 'app.kubernetes.io/instance'
  const clean = (value: Document): Document => {
    if (Array.isArray(value)) return value.filter(each => !isTestPod(each)).map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== instance)
        .map(([name, each]) => [name, clean(each)]),
    )
  }
  const pod = rest.spec.template?.spec
  if (pod !== undefined) {
    rest.spec.template.metadata = undefined
    delete pod.serviceAccountName
    pod.containers[0].envFrom = undefined
    delete pod.containers[0].imagePullPolicy
    // Kustomize mounts every key of the Secret; the chart those that are named.
    delete pod.volumes[0].secret.items
  }
  return clean({ ...rest, annotations: metadata.annotations })
}

const isTestPod = (peer: Document) => peer?.podSelector?.matchLabels?.['app.kubernetes.io/name'] === 'toolrack-test'

t.test('what the values schema does not have is refused by its name', async t => {
  const refused: [string, RegExp][] = [
    ['setings.PORT=1', /additional properties 'setings' not allowed/],
    ['settings.JWT_SECRT=x', /at '\/settings': additional properties 'JWT_SECRT' not allowed/],
    ['settings.JWT_SECRET=x', /at '\/settings': additional properties 'JWT_SECRET' not allowed/],
    ['secrets.values.PORT=1', /at '\/secrets\/values': additional properties 'PORT' not allowed/],
    ['secrets.keys={REDIS}', /at '\/secrets\/keys\/0': value must be one of .*'REDIS_URL'/],
    ['tools.files.hello=x', /at '\/tools\/files': additional properties 'hello' not allowed/],
    ['tools.mountPath=/tools', /at '\/tools\/mountPath'/],
    ['ingress.enabled=maybe', /at '\/ingress\/enabled': got string, want boolean/],
  ]
  for (const [value, reason] of refused) {
    const { status, stderr } = runHelm('template', 'toolrack', CHART, ...least(value))
    t.equal(status, 1, value)
    t.match(stderr, reason, value)
  }
})

t.test('values that would not do what they say are refused with what to set', async t => {
  const refused: [string[], RegExp][] = [
    [['--set', LEAST[0]!], /open to everyone: set settings\.JWT_ISSUER/],
    [['--set', `${LEAST[0]!},env[0].name=NODE_EXTRA_CA_CERTS,env[0].value=/ca.pem`], /open to everyone/],
    [least('image.repository='), /image\.repository: expected the image of Toolrack/],
    [least('secrets.keys={JWT_SECRET}'), /REDIS_URL: replicas share sessions.*replicas: 1, and STATE_SECRET/],
    [least('secrets.keys=null'), /secrets\.keys: expected the settings that the Secret has/],
    [least('secrets.values.STATE_SECRET=abc'), /secrets: expected existingSecret or values, not both/],
    [least('tools.configMap=a', 'tools.persistentVolumeClaim=b'), /tools: expected one of/],
    [least('ingress.enabled=true'), /ingress\.host: expected the host that clients use/],
    [
      least('ingress.enabled=true', 'ingress.host=mcp.example'),
      /settings\.TRUST_PROXY: expected the addresses of the ingress controller's pods.*or false/,
    ],
    [
      least('serviceMonitor.enabled=true', 'settings.METRICS_PORT=null'),
      /serviceMonitor: expected settings\.METRICS_PORT/,
    ],
  ]
  for (const [args, reason] of refused) {
    const { status, stderr } = runHelm('template', 'toolrack', CHART, ...args)
    t.equal(status, 1, args.at(-1)!)
    t.match(stderr, reason, args.at(-1)!)
  }
})

t.test('O8: no proxy is trusted that the values do not name', async t => {
  t.equal(settingsOf(objectsOf(render(...least())))['TRUST_PROXY'], undefined)
})

t.test('one pod without Redis keeps its sessions over a restart by STATE_SECRET', async t => {
  const one = ['autoscaling.enabled=false', 'replicas=1', 'secrets.keys={STATE_SECRET}']
  const settings = settingsOf(objectsOf(render(...least(...one))))

  t.equal(settings['STATE_SECRET_FILE'], '/run/secrets/toolrack/STATE_SECRET')
  t.notOk('REDIS_URL_FILE' in settings)
})

t.test('a changed setting, secret or tool restarts the pods, and nothing else does', async t => {
  const podOf = (...args: string[]) =>
    JSON.stringify(find(objectsOf(render('--values', valuesOf('one'), ...args)), 'Deployment').spec.template)
  const before = podOf()

  t.equal(podOf('--set', 'service.port=81'), before)
  for (const change of ['settings.LOG_LEVEL=debug', 'secrets.values.STATE_SECRET=0123', 'tools.files.hello\\.js=x'])
    t.not(podOf('--set', change), before, change)
})

t.test('the time to stop follows DRAIN_MS', async t => {
  for (const [drainMs, seconds] of [
    [0, 20],
    [20_000, 40],
    [20_001, 41],
    [600_000, 620],
  ]) {
    const objects = objectsOf(render(...least(`settings.DRAIN_MS=${drainMs}`)))
    t.equal(find(objects, 'Deployment').spec.template.spec.terminationGracePeriodSeconds, seconds, String(drainMs))
  }
})

t.test('long names of releases stay names of objects', async t => {
  const release = 'a-release-with-a-name-of-53-characters-as-helm-takes-'.slice(0, 52).replace(/-$/, 'x')
  const objects = objectsOf(helm('template', release, CHART, '--values', valuesOf('everything')))

  for (const { kind, metadata } of objects) t.ok(metadata.name.length <= 63, `${kind} ${metadata.name}`)
})
