// deploy/kubernetes/: kustomize builds it, and its objects agree with each other and with the
// server.
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { assertBind } from '../../../src/config/access.ts'
import { envOf, exampleOf, imageEnvironment, yamlOf } from '../../support/deploy-files.ts'
import { source, tempFolder } from '../../support/tools-folder.ts'
import { CLUSTER_SETTINGS, checkManifests, find, SECRETS, settingsOf, withoutFiles } from './manifests.ts'
import { kubectl, objectsOf } from './programs.ts'

const FOLDER = 'deploy/kubernetes'
const file = (name: string) => yamlOf(`${FOLDER}/${name}.yaml`)

const kustomization = file('kustomization')
const secret = file('secret.example')
const settings = envOf(`${FOLDER}/settings.env`)

t.test('every file is applied, but for the example of a secret, and what HTTP+SSE needs', async t => {
  const files = readdirSync(FOLDER).filter(name => name.endsWith('.yaml'))
  const left = ['kustomization.yaml', 'secret.example.yaml', 'ingress-http-sse.yaml']
  const others = files.filter(name => !left.includes(name))

  t.strictSame([...kustomization.resources].sort(), others.sort())
  t.strictSame(kustomization.configMapGenerator[0].envs, ['settings.env'])
})

t.test('what it sets are settings of the server, which starts with them on every address', async t => {
  const redisUrl = 'rediss://toolrack:secret@redis.example:6380'
  const environment = { ...imageEnvironment(), ...withoutFiles(settings), REDIS_URL: redisUrl }

  t.strictSame(
    Object.keys(settings).filter(name => !CLUSTER_SETTINGS.has(name)),
    [],
  )
  t.doesNotThrow(() => assertBind('0.0.0.0', readEnvironment(environment)))
  t.match(readEnvironment(environment), { redisUrl, trustProxy: false, jwtIssuer: /./ })
})

t.test('the example of a secret has the names of secrets, a file for each, and no values', async t => {
  const names = Object.keys(secret.stringData)

  t.strictSame(
    names.filter(name => !SECRETS.has(name)),
    [],
  )
  t.strictSame(
    names.map(name => settings[`${name}_FILE`]),
    names.map(name => `/run/secrets/toolrack/${name}`),
  )
  t.strictSame(new Set(Object.values(secret.stringData)), new Set(['']))
  t.equal(secret.metadata.namespace, kustomization.namespace)
})

const built = objectsOf(kubectl('kustomize', FOLDER))

t.test('kustomize builds it, with the image and the settings in their places', async t => {
  t.equal(built.length, kustomization.resources.length + 1)
  t.strictSame(find(built, 'ConfigMap').data, settings)
  const { spec } = find(built, 'Deployment').spec.template
  const [made] = spec.containers
  t.equal(made.envFrom[0].configMapRef.name, find(built, 'ConfigMap').metadata.name)
  t.equal(spec.volumes[0].secret.secretName, secret.metadata.name)
  const [{ newName, newTag }] = kustomization.images
  t.equal(made.image, `${newName}:${newTag}`)
  t.equal(newTag, JSON.parse(readFileSync('package.json', 'utf8')).version)
  for (const each of built)
    if (each.kind !== 'Namespace') t.equal(each.metadata.namespace, kustomization.namespace, each.kind)
  t.match(find(built, 'Namespace').metadata, {
    name: kustomization.namespace,
    labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
  })
})

t.test('its objects', t => checkManifests(t, built))

t.test('its objects with HTTP+SSE, as kustomization.yaml says', async t => {
  const { path } = tempFolder(t, {}, 'kubernetes')
  cpSync(FOLDER, path, { recursive: true })
  const asked = readFileSync(`${path}/kustomization.yaml`, 'utf8').replace('# - ingress-http-sse', '- ingress-http-sse')
  writeFileSync(`${path}/kustomization.yaml`, asked)
  appendFileSync(`${path}/settings.env`, 'HTTP_SSE=true\n')

  const objects = objectsOf(kubectl('kustomize', path))

  t.equal(objects.length, built.length + 1)
  await checkManifests(t, objects)
})

t.test('its objects with the overlay of docs/guides/deploy.md', async t => {
  const { path } = tempFolder(t, {
    'kustomization.yaml': exampleOf('docs/guides/deploy.md', 'kustomization.yaml'),
    'tools/hello.js': source('hello'),
  })
  cpSync(FOLDER, `${path}/toolrack/${FOLDER}`, { recursive: true })

  const objects = objectsOf(kubectl('kustomize', path))

  await checkManifests(t, objects)
  const { spec } = find(objects, 'Deployment').spec.template
  t.match(spec.containers[0].image, /^registry\.example\/acme\/tools:1\.2\.3$/)
  const tools = objects.find(({ data }) => data?.['hello.js'] !== undefined)
  t.match(spec.volumes, [{}, { configMap: { name: tools.metadata.name } }, { secret: { secretName: 'api-keys' } }])
  const overlaid = settingsOf(objects)
  t.match(overlaid, { REDIS_URL_FILE: /./, JWT_ISSUER: 'https://login.acme.example/' })
  t.strictSame(
    Object.keys(overlaid).filter(name => !CLUSTER_SETTINGS.has(name)),
    [],
  )
})
