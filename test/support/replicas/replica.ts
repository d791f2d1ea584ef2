// One replica as a process of its own, which can be asked to end, killed, and paused.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { freePort } from '../free-port.ts'
import { withoutSettings } from '../servers/own-process.ts'

const START_MS = 45_000

export interface ReplicaOptions {
  /** Undefined: without Redis. */
  readonly redisUrl?: string | undefined
  /** A module that exports `start(port): Promise<void>`; default: the fixture of the conformance suite. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly port?: number
}

export class Replica {
  readonly port: number
  /** Its log, as lines. */
  readonly lines: string[] = []
  readonly #options: ReplicaOptions
  #process: ChildProcess | undefined

  constructor(port: number, options: ReplicaOptions) {
    this.port = port
    this.#options = options
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  get isRunning(): boolean {
    const child = this.#process
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const { redisUrl, program = new URL('fixture-replica.ts', import.meta.url).pathname, environment } = this.#options
    const child = spawn(process.execPath, [program], {
      env: {
        ...withoutSettings(process.env),
        ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
        PORT: String(this.port),
        LOG_LEVEL: 'warn',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process = child
    const lines = createInterface({ input: child.stdout! })
    lines.on('line', line => this.lines.push(line))
    const listening = new Promise<void>(resolve => lines.on('line', line => line === 'listening' && resolve()))
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`a replica ended at its start: ${code ?? signal}\n${this.lines.join('\n')}`)
    })
    const late = AbortSignal.timeout(START_MS)
    await Promise.race([listening, ended, once(late, 'abort').then(() => Promise.reject(late.reason))])
    ended.catch(() => {})
  }

  /** Asks it to end, and waits until it has. @returns its exit code */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  async kill(): Promise<number | null> {
    return this.#end('SIGKILL')
  }

  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#process
    if (child === undefined || !this.isRunning) return null
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    const [code] = await ended
    return code
  }
}

/** Replicas that share a Redis, gone with the test. */
export async function replicas(t: Test, count: number, options: ReplicaOptions): Promise<Replica[]> {
  const made: Replica[] = []
  t.teardown(() => Promise.all(made.map(replica => replica.kill())))
  for (let index = 0; index < count; index++) made.push(new Replica(await freePort(), options))
  await Promise.all(made.map(replica => replica.start()))
  return made
}
