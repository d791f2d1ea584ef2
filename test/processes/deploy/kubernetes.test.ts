// deploy/kubernetes/: its documents agree with each other and with the server.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { assertBind } from '../../../src/config/access.ts'
import { readEnvironment, SETTINGS } from '../../../src/config/settings.ts'
import { build } from '../../support/app.ts'
import { type Document, envOf, imageEnvironment, yamlOf } from '../../support/deploy-files.ts'

const FOLDER = 'deploy/kubernetes'
const file = (name: string) => yamlOf(`${FOLDER}/${name}.yaml`)

const kustomization = file('kustomization')
const deployment = file('deployment')
const service = file('service')
const secret = file('secret.example')
const settings = envOf(`${FOLDER}/settings.env`)
const { metadata: podMetadata, spec: pod } = deployment.spec.template
const [container] = pod.containers
const labels: Record<string, string> = podMetadata.labels

const isSelected = (selector: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

const SECRETS = Object.entries(SETTINGS)
  .filter(([, row]) => 'isSecret' in row && row.isSecret)
  .map(([name]) => name)

t.test('every file is applied, but for the example of a secret, and what HTTP+SSE needs', async t => {
  const files = readdirSync(FOLDER).filter(name => name.endsWith('.yaml'))
  const left = ['kustomization.yaml', 'secret.example.yaml', 'ingress-http-sse.yaml']
  const others = files.filter(name => !left.includes(name))

  t.strictSame([...kustomization.resources].sort(), others.sort())
  t.strictSame(kustomization.configMapGenerator[0].envs, ['settings.env'])
})

t.test('the Ingress of HTTP+SSE is that of the endpoint, with other paths, and sticky', async t => {
  const [plain, sticky] = [file('ingress'), file('ingress-http-sse')]
  const { 'nginx.ingress.kubernetes.io/upstream-hash-by': hashBy, ...annotations } = sticky.metadata.annotations

  t.equal(hashBy, '$remote_addr')
  t.strictSame(annotations, plain.metadata.annotations)
  t.strictSame(sticky.spec.tls, plain.spec.tls)
  t.equal(sticky.spec.rules[0].host, plain.spec.rules[0].host)
  const { paths } = sticky.spec.rules[0].http
  t.strictSame(
    paths.map(({ path }: { path: string }) => path),
    ['/sse', '/messages'],
  )
  for (const { backend } of paths) t.strictSame(backend, plain.spec.rules[0].http.paths[0].backend)
})

t.test('what it sets are settings of the server, which starts with them on every address', async t => {
  const redisUrl = 'rediss://toolrack:secret@redis.example:6380'
  const environment = { ...imageEnvironment(), ...settings, REDIS_URL: redisUrl }

  t.strictSame(
    Object.keys(settings).filter(name => !(name in SETTINGS) || SECRETS.includes(name)),
    [],
  )
  t.doesNotThrow(() => assertBind('0.0.0.0', readEnvironment(environment)))
  t.match(readEnvironment(environment), { redisUrl, trustProxy: [/./], jwtIssuer: /./ })
})

t.test('the example of a secret has the names of secrets, and no values', async t => {
  const names = Object.keys(secret.stringData)
  t.strictSame(
    names.filter(name => !SECRETS.includes(name)),
    [],
  )
  for (const name of ['REDIS_URL', 'STATE_SECRET', 'STATE_SECRET_PREVIOUS']) t.ok(names.includes(name), name)
  t.strictSame(new Set(Object.values(secret.stringData)), new Set(['']))
  t.match(container.envFrom, [
    { configMapRef: { name: kustomization.configMapGenerator[0].name } },
    { secretRef: { name: secret.metadata.name } },
  ])
  t.equal(secret.metadata.namespace, kustomization.namespace)
})

t.test('every selector finds the pods', async t => {
  const selectors: Record<string, Record<string, string>> = {
    deployment: deployment.spec.selector.matchLabels,
    service: service.spec.selector,
    pdb: file('pdb').spec.selector.matchLabels,
    networkpolicy: file('networkpolicy').spec.podSelector.matchLabels,
    ...Object.fromEntries(
      pod.topologySpreadConstraints.map((each: Document) => [each.topologyKey, each.labelSelector.matchLabels]),
    ),
  }

  for (const [name, selector] of Object.entries(selectors)) {
    t.ok(Object.keys(selector).length > 0 && isSelected(selector), name)
  }
})

t.test('ports agree, from the ingress to the server', async t => {
  const [port] = container.ports
  const inward = file('networkpolicy').spec.ingress[0].ports

  t.equal(port.containerPort, readEnvironment(imageEnvironment()).port)
  t.equal(service.spec.ports[0].targetPort, port.name)
  t.strictSame(inward, [{ protocol: 'TCP', port: port.name }])
  const [, metrics] = container.ports
  t.strictSame(file('networkpolicy').spec.ingress[1].ports, [{ protocol: 'TCP', port: metrics.name }])
  t.match(readFileSync('deploy/kubernetes/settings.env', 'utf8'), `METRICS_PORT=${metrics.containerPort}`)
  for (const { backend } of file('ingress').spec.rules[0].http.paths)
    t.strictSame(backend.service, { name: service.metadata.name, port: { name: service.spec.ports[0].name } })
})

t.test('every probe asks what the server answers', async t => {
  const app = await build(t)

  for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const { path, port } = container[name].httpGet
    // The address of the pod is no host that a client may name.
    const reply = await app.inject({ url: path, headers: { host: '10.1.2.3:3000' } })

    t.equal(reply.statusCode, 200, `${name} ${path}`)
    t.equal(port, container.ports[0].name)
  }
  t.equal(container.livenessProbe.httpGet.path, '/health')
})

t.test('the ingress lets through what clients need, of the host that they name', async t => {
  const { rules, tls } = file('ingress').spec
  const { host } = new URL(settings['PUBLIC_URL']!)
  const paths: string[] = rules[0].http.paths.map(({ path }: Document) => path)

  t.strictSame(paths, [new URL(settings['PUBLIC_URL']!).pathname, '/.well-known/oauth-protected-resource'])
  t.equal(rules[0].host, host)
  t.strictSame(tls[0].hosts, [host])
})

t.test('the ingress buffers no stream, repeats no POST, and waits for as long as a call may take', async t => {
  const { annotations } = file('ingress').metadata
  const of = (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`]

  t.equal(of('proxy-buffering'), 'off')
  t.notMatch(of('proxy-next-upstream'), /non_idempotent|timeout|http_/)
  t.ok(Number(of('proxy-read-timeout')) > 600)
  t.equal(of('proxy-body-size'), `${readEnvironment({}).maxBodyBytes / 2 ** 20}m`)
  for (const [name, value] of Object.entries(annotations)) t.type(value, 'string', name)
})

t.test('a pod is given longer to stop than it takes', async t => {
  const [, preStopS] = container.lifecycle.preStop.exec.command
  const drainS = readEnvironment(settings).drainMs / 1000
  const { periodSeconds, failureThreshold } = container.readinessProbe

  t.ok(pod.terminationGracePeriodSeconds > Number(preStopS) + drainS + 5)
  t.ok(Number(preStopS) > periodSeconds * failureThreshold)
})

t.test('there are always two, and one goes at a time', async t => {
  const { scaleTargetRef, minReplicas, maxReplicas } = file('hpa').spec

  t.strictSame(deployment.spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
  t.strictSame(scaleTargetRef, {
    apiVersion: deployment.apiVersion,
    kind: deployment.kind,
    name: deployment.metadata.name,
  })
  t.ok(minReplicas >= 2 && maxReplicas > minReplicas)
  t.notOk('replicas' in deployment.spec)
  t.equal(file('pdb').spec.maxUnavailable, 1)
  t.ok(container.resources.requests.cpu, 'by which the autoscaler counts')
})

t.test('the pod is what the restricted standard asks for', async t => {
  t.match(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } })
  t.strictSame(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  t.equal(pod.automountServiceAccountToken, false)
  t.equal(file('namespace').metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted')
  t.equal(file('namespace').metadata.name, kustomization.namespace)
})

t.test('out go names, Redis and https to the world, and nothing to what is private', async t => {
  const { policyTypes, egress } = file('networkpolicy').spec
  const portsOf = (rule: Document) => rule.ports.map(({ protocol, port }: Document) => `${protocol} ${port}`)
  const [names, redis, world] = egress

  t.strictSame(policyTypes, ['Ingress', 'Egress'])
  t.strictSame(egress.map(portsOf), [['UDP 53', 'TCP 53'], ['TCP 6379', 'TCP 6380'], ['TCP 443']])
  for (const { to } of [names, redis]) t.ok(to.every((peer: Document) => peer.podSelector && peer.namespaceSelector))
  for (const block of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
    t.ok(world.to[0].ipBlock.except.includes(block), block)
})

const NO_KUBECTL =
  spawnSync('kubectl', ['version', '--client']).status === 0
    ? false
    : 'SKIPPED: kubectl is not installed, so that kustomization.yaml was not built'

t.test('kubectl builds it, with the image and the settings in their places', { skip: NO_KUBECTL }, async t => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', FOLDER], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const built: Document[] = parseAllDocuments(stdout).map(document => document.toJS())
  const of = (kind: string) => built.find(each => each.kind === kind)

  t.equal(built.length, kustomization.resources.length + 1)
  t.strictSame(of('ConfigMap').data, settings)
  const [made] = of('Deployment').spec.template.spec.containers
  t.equal(made.envFrom[0].configMapRef.name, of('ConfigMap').metadata.name)
  const [{ newName, newTag }] = kustomization.images
  t.equal(made.image, `${newName}:${newTag}`)
  t.equal(newTag, JSON.parse(readFileSync('package.json', 'utf8')).version)
  for (const each of built)
    if (each.kind !== 'Namespace') t.equal(each.metadata.namespace, kustomization.namespace, each.kind)
})
