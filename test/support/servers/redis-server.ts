// A Redis of the test's own: a real server on a free port of loopback, which can be killed, paused and started again.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { freePort } from '../free-port.ts'

/** Said where there is none; `.ci/run` installs one, and so skips nothing. */
export const NO_REDIS =
  spawnSync('redis-server', ['--version']).status === 0
    ? false
    : 'SKIPPED: redis-server is not installed, so that nothing of the shared state was tested'

const START_MS = 30_000

export interface RedisOptions {
  /** Whether it keeps what it was told when it is killed. */
  readonly isDurable?: boolean
  readonly options?: readonly string[]
}

export class RedisServer {
  readonly port: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolrack-redis-'))
  readonly #options: readonly string[]
  #process: ChildProcess | undefined

  constructor(port: number, { isDurable = false, options = [] }: RedisOptions = {}) {
    this.port = port
    const durability = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'everysec'] : ['--appendonly', 'no']
    this.#options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      this.#folder,
      ...durability,
      ...options,
    ]
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    this.#process = spawn('redis-server', this.#options, { stdio: 'ignore' })
    for (const endMs = Date.now() + START_MS; Date.now() < endMs; await sleep(20)) if (await isOpen(this.port)) return
    throw new Error(`redis-server did not start on port ${this.port}`)
  }

  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGKILL')
    await ended
  }

  /** It keeps its connections, and answers nothing. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A server for one test, gone with it. */
export async function redisServer(t: Test, options: RedisOptions = {}): Promise<RedisServer> {
  const server = new RedisServer(await freePort(), options)
  t.teardown(() => server.close())
  await server.start()
  return server
}

async function isOpen(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
