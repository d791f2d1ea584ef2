// What a Deployment and a Service do with pods, by the probes and the strategy of
// deploy/kubernetes/: a new pod gets requests when it is ready, and only then the old one is asked
// to end. Its seconds are shorter here.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Document, yamlOf } from '../../support/deploy-files.ts'
import { callOver, type Process } from '../../support/servers/own-process.ts'

const { strategy, template } = yamlOf('deploy/kubernetes/deployment.yaml').spec
const [{ readinessProbe, livenessProbe, startupProbe }] = template.spec.containers
const SECOND_MS = 50
/** `progressDeadlineSeconds` would be 300 of them. */
const DEADLINE_PROBES = 20

export type Outcome = 'rolled out' | 'failed'

export class Orchestrator {
  /** Those that the Service sends requests to. */
  #ready: Process[] = []
  /** The next gets the next request. */
  #turn = 0
  readonly #calls = new Set<Promise<unknown>>()

  get ready(): readonly Process[] {
    return this.#ready
  }

  /** Starts a pod in place of those that are there. If it does not get ready, it stays, and they stay. */
  async rollOut(pod: Process): Promise<Outcome> {
    if (strategy.rollingUpdate.maxUnavailable !== 0) throw new Error('expected maxUnavailable: 0')
    if (!(await passes(pod, startupProbe, startupProbe.failureThreshold))) return 'failed'
    if (!(await passes(pod, readinessProbe, DEADLINE_PROBES))) return 'failed'
    const old = this.#ready
    this.#ready = [pod]
    // The preStop waits until no new requests come.
    await Promise.allSettled(this.#calls)
    await Promise.all(old.map(each => this.#stop(each)))
    return 'rolled out'
  }

  /** Whether the kubelet would leave it as it is. */
  isAlive(pod: Process): Promise<boolean> {
    return passes(pod, livenessProbe, 1)
  }

  /** A call of a client, by way of the Service. */
  async call(name: string): Promise<string> {
    const pod = this.#ready[this.#turn++ % this.#ready.length]!
    const calling = callOver(pod.url, name)
    this.#calls.add(calling)
    const { status, body } = await calling.finally(() => this.#calls.delete(calling))
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    return body.result.content[0].text
  }

  async #stop({ child, exited }: Process): Promise<void> {
    child.kill('SIGTERM')
    const code = await exited
    if (code !== 0) throw new Error(`a pod ended with ${code}`)
  }
}

/** Whether one of so many probes succeeds. */
async function passes({ port }: Process, { httpGet }: Document, probes: number): Promise<boolean> {
  for (let count = 0; count < probes; count++) {
    const response = await fetch(`http://127.0.0.1:${port}${httpGet.path}`).catch(() => undefined)
    await response?.text()
    if (response?.ok) return true
    await sleep(SECOND_MS)
  }
  return false
}
