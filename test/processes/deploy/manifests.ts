// What holds for the objects of a cluster, whether kustomize or Helm made them: they agree with
// each other and with the server.
import { basename } from 'node:path'
import type { Test } from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { isSecret, SETTINGS, type SettingName } from '../../../src/config/settings.ts'
import { build } from '../../support/app.ts'
import { type Document, imageEnvironment } from '../../support/deploy-files.ts'

const NAMES = Object.keys(SETTINGS) as SettingName[]
export const SECRETS: ReadonlySet<string> = new Set(NAMES.filter(isSecret))
/** What a ConfigMap may set: secrets by their files only. */
export const CLUSTER_SETTINGS: ReadonlySet<string> = new Set([
  ...NAMES.filter(name => !isSecret(name)),
  ...[...SECRETS].map(name => `${name}_FILE`),
])

export type Objects = readonly Document[]

export const find = (objects: Objects, kind: string): Document => objects.find(object => object.kind === kind)
const findAll = (objects: Objects, kind: string): Document[] => objects.filter(object => object.kind === kind)

/** Those that are not the operator's. */
const OWN_VOLUMES: ReadonlySet<string> = new Set(['secrets', 'api-keys', 'tools'])
const NGINX = 'nginx.ingress.kubernetes.io/'

/** What the server gets as environment, but for secrets. */
export const settingsOf = (objects: Objects): Record<string, string> => {
  const [container] = find(objects, 'Deployment').spec.template.spec.containers
  const { name } = container.envFrom[0].configMapRef
  return findAll(objects, 'ConfigMap').find(({ metadata }) => metadata.name === name).data
}

export async function checkManifests(t: Test, objects: Objects): Promise<void> {
  const deployment = find(objects, 'Deployment')
  const { metadata: podMetadata, spec: pod } = deployment.spec.template
  const [container] = pod.containers
  const labels: Record<string, string> = podMetadata.labels
  const settings = settingsOf(objects)
  const of = (kind: string) => find(objects, kind)

  await t.test('every selector finds the pods', async t => {
    const selectors: [string, Record<string, string>][] = [
      ['Deployment', deployment.spec.selector.matchLabels],
      ['Service', of('Service').spec.selector],
      ...['PodDisruptionBudget', 'ServiceMonitor'].flatMap(kind =>
        findAll(objects, kind).map(({ spec }): [string, Record<string, string>] => [kind, spec.selector.matchLabels]),
      ),
      ...findAll(objects, 'NetworkPolicy').map(({ spec }): [string, Record<string, string>] => [
        'NetworkPolicy',
        spec.podSelector.matchLabels,
      ]),
      ...(pod.topologySpreadConstraints ?? []).map((each: Document) => [
        each.topologyKey,
        each.labelSelector.matchLabels,
      ]),
    ]
    for (const [name, selector] of selectors)
      t.ok(
        Object.keys(selector).length > 0 && Object.entries(selector).every(([label, value]) => labels[label] === value),
        name,
      )
  })

  await t.test('ports agree, from the ingress to the server', async t => {
    const [http, metrics] = container.ports
    const service = of('Service')

    t.equal(http.containerPort, readEnvironment({ ...imageEnvironment(), PORT: settings['PORT'] ?? '3000' }).port)
    t.equal(service.spec.ports[0].targetPort, http.name)
    t.equal(String(metrics?.containerPort), String(settings['METRICS_PORT']))
    for (const { spec } of findAll(objects, 'NetworkPolicy')) {
      t.strictSame(spec.ingress[0].ports, [{ protocol: 'TCP', port: http.name }])
      t.strictSame(spec.ingress[1]?.ports, metrics && [{ protocol: 'TCP', port: metrics.name }])
    }
    for (const { spec } of findAll(objects, 'Ingress'))
      for (const { backend } of spec.rules[0].http.paths)
        t.strictSame(backend.service, { name: service.metadata.name, port: { name: service.spec.ports[0].name } })
  })

  await t.test('every probe asks what the server answers', async t => {
    const app = await build(t)
    const paths = new Map<string, string>()

    for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path, port } = container[name].httpGet
      // The address of the pod is no host that a client may name.
      const reply = await app.inject({ url: path, headers: { host: '10.1.2.3:3000' } })

      t.equal(reply.statusCode, 200, `${name} ${path}`)
      t.equal(port, container.ports[0].name)
      paths.set(name, path)
    }
    // A pod whose tool does not load is alive: restarting it would not help, and would hide why.
    t.strictSame([...paths.values()], ['/health', '/ready', '/health'])
  })

  await t.test('a pod is given longer to stop than it takes', async t => {
    const [, preStopS] = container.lifecycle.preStop.exec.command
    const drainS = readEnvironment(withoutFiles(settings)).drainMs / 1000
    const { periodSeconds, failureThreshold } = container.readinessProbe

    t.ok(pod.terminationGracePeriodSeconds > Number(preStopS) + drainS + 5)
    t.ok(Number(preStopS) > periodSeconds * failureThreshold)
  })

  await t.test('an old pod serves until a new one is ready', async t => {
    t.strictSame(deployment.spec.strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    })
    t.ok(
      deployment.spec.progressDeadlineSeconds > container.startupProbe.failureThreshold,
      'a rollout that hangs fails',
    )
    for (const { spec } of findAll(objects, 'HorizontalPodAutoscaler')) {
      t.strictSame(spec.scaleTargetRef, {
        apiVersion: deployment.apiVersion,
        kind: deployment.kind,
        name: deployment.metadata.name,
      })
      t.ok(spec.minReplicas >= 2 && spec.maxReplicas > spec.minReplicas)
      t.notOk('replicas' in deployment.spec, 'a number here would overwrite that of the autoscaler')
      t.ok(container.resources.requests.cpu, 'by which the autoscaler counts')
    }
    for (const { spec } of findAll(objects, 'PodDisruptionBudget')) t.equal(spec.maxUnavailable, 1)
  })

  await t.test('every pod is what the restricted standard asks for', async t => {
    const pods = [pod, ...findAll(objects, 'Pod').map(({ spec }) => spec)]
    for (const each of pods) {
      t.match(each.securityContext, { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } })
      t.equal(each.automountServiceAccountToken, false)
      t.equal(each.enableServiceLinks, false)
      for (const { securityContext } of each.containers)
        t.strictSame(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
    for (const account of findAll(objects, 'ServiceAccount')) t.equal(account.automountServiceAccountToken, false)
  })

  await t.test('every volume is mounted, for reading only, and every file of a setting is in one', async t => {
    const mounts: Document[] = container.volumeMounts ?? []
    const volumes: Document[] = pod.volumes ?? []

    t.strictSame(mounts.map(({ name }) => name).sort(), volumes.map(({ name }) => name).sort())
    for (const { name, readOnly } of mounts) if (OWN_VOLUMES.has(name)) t.equal(readOnly, true, name)
    // What others of the pod may not read, its group may.
    for (const { name, secret } of volumes)
      if (secret !== undefined) t.strictSame([secret.defaultMode, pod.securityContext.fsGroup], [0o440, 1000], name)
    for (const [name, path] of Object.entries(settings).filter(([name]) => name.endsWith('_FILE'))) {
      const mount = mounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`))
      t.ok(mount, `${name}: ${path}`)
      const items: Document[] | undefined = volumes.find(each => each.name === mount?.name).secret?.items
      if (items)
        t.ok(
          items.some(item => item.path === basename(path)),
          `${name} in the Secret`,
        )
    }
  })

  await t.test('out go names, Redis and https to the world, and nothing to what is private', async t => {
    for (const { spec } of findAll(objects, 'NetworkPolicy')) {
      const portsOf = (rule: Document) => rule.ports.map(({ protocol, port }: Document) => `${protocol} ${port}`)
      const [names, redis, world] = spec.egress

      t.strictSame(spec.policyTypes, ['Ingress', 'Egress'])
      t.strictSame(spec.egress.slice(0, 3).map(portsOf), [['UDP 53', 'TCP 53'], ['TCP 6379', 'TCP 6380'], ['TCP 443']])
      for (const { to } of [names, redis]) t.ok(to.every((peer: Document) => peer.podSelector || peer.ipBlock))
      for (const block of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
        t.ok(world.to[0].ipBlock.except.includes(block), block)
    }
  })

  await t.test('the ingress lets through what clients need, of the host that they name', async t => {
    for (const { spec } of findAll(objects, 'Ingress').slice(0, 1)) {
      const { host, pathname } = new URL(settings['PUBLIC_URL']!)
      const paths: string[] = spec.rules[0].http.paths.map(({ path }: Document) => path)

      t.strictSame(paths.slice(0, 2), [pathname, '/.well-known/oauth-protected-resource'])
      t.equal(spec.rules[0].host, host)
      t.strictSame(spec.tls[0].hosts, [host])
      for (const path of ['/health', '/ready', '/metrics']) t.notOk(paths.includes(path), path)
    }
  })

  await t.test('the ingress buffers no stream, repeats no POST, and waits for as long as a call may take', async t => {
    for (const { metadata } of findAll(objects, 'Ingress')) {
      const annotation = (name: string) => metadata.annotations[`${NGINX}${name}`]

      t.equal(annotation('proxy-buffering'), 'off')
      t.notMatch(annotation('proxy-next-upstream'), /non_idempotent|timeout|http_/)
      t.ok(Number(annotation('proxy-read-timeout')) > 600)
      t.equal(bytesOf(annotation('proxy-body-size')), readEnvironment(withoutFiles(settings)).maxBodyBytes)
      for (const [name, value] of Object.entries(metadata.annotations)) t.type(value, 'string', name)
    }
  })

  await t.test('the Ingress of HTTP+SSE is that of the endpoint, with other paths, and sticky', async t => {
    const [plain, sticky] = findAll(objects, 'Ingress')
    t.equal(sticky !== undefined, plain !== undefined && settings['HTTP_SSE'] === 'true')
    if (sticky === undefined) return
    const { [`${NGINX}upstream-hash-by`]: hashBy, ...annotations } = sticky.metadata.annotations

    t.equal(hashBy, '$remote_addr')
    t.strictSame(annotations, plain.metadata.annotations)
    t.strictSame(sticky.spec.tls, plain.spec.tls)
    t.equal(sticky.spec.rules[0].host, plain.spec.rules[0].host)
    t.strictSame(
      sticky.spec.rules[0].http.paths.map(({ path }: { path: string }) => path),
      ['/sse', '/messages'],
    )
  })
}

/** Without files that only a pod has. */
export const withoutFiles = (settings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !name.endsWith('_FILE')))

/** `1m`, or a number of bytes. */
function bytesOf(text: string): number {
  const [, number, unit] = /^(\d+)(m?)$/.exec(text) ?? []
  return Number(number) * (unit === 'm' ? 2 ** 20 : 1)
}
