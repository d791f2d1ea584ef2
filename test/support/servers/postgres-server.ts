// A PostgreSQL of the test's own: a real server on a free port of loopback, which can be paused, stopped and started.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Test } from 'tap'
import { freePort } from '../free-port.ts'

const BIN = ['/usr/lib/postgresql/*/bin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin']
  .flatMap(place => globSync(join(place, 'initdb')).sort().reverse())
  .at(0)
  ?.replace(/\/initdb$/, '')

/** Said where there is none; `.ci/run` installs one, and so skips nothing. */
export const NO_POSTGRES =
  BIN === undefined ? 'SKIPPED: PostgreSQL is not installed, so that nothing was tested against a real server' : false

const START_MS = 60_000
export const OWNER = 'owner'

export class PostgresServer {
  readonly port: number
  readonly password = `pw-${crypto.randomUUID()}`
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolrack-postgres-'))
  readonly #uid = process.getuid?.() === 0 ? unprivileged() : undefined
  #process: ChildProcess | undefined

  constructor(port: number) {
    this.port = port
    if (this.#uid !== undefined) chownSync(this.#folder, this.#uid, this.#uid)
    chmodSync(this.#folder, 0o700)
    const password = ['-c', `printf %s "$PASSWORD" > "$0/pw" && exec "$@" --pwfile "$0/pw"`, this.#folder]
    const initdb = [join(BIN!, 'initdb'), '-D', this.data, '-U', OWNER, '-A', 'scram-sha-256', '-E', 'UTF8', '-N']
    const env = { PATH: process.env.PATH, PASSWORD: this.password, LC_ALL: 'C.UTF-8' }
    execFileSync('sh', [...password, ...initdb], { ...this.#as, env, stdio: 'pipe' })
  }

  get data(): string {
    return join(this.#folder, 'data')
  }

  get #as() {
    return this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid }
  }

  /** Of the superuser, unless another login is named. */
  url({ user = OWNER, password = this.password, database = 'postgres' } = {}): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: this.#folder, fsync: 'off' }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const args = ['-D', this.data, '-p', String(this.port), ...options]
    this.#process = spawn(join(BIN!, 'postgres'), args, { ...this.#as, stdio: 'ignore' })
    // Also where a test ran out of time, and so nothing was torn down.
    process.once('exit', () => this.#process?.kill('SIGQUIT'))
    for (const endMs = Date.now() + START_MS; Date.now() < endMs; await sleep(50)) if (await this.#answers()) return
    throw new Error(`postgres did not start on port ${this.port}`)
  }

  async #answers(): Promise<boolean> {
    try {
      await this.sql('SELECT 1')
      return true
    } catch {
      return false
    }
  }

  /** Runs statements as the superuser. @returns the rows of the last one, as arrays of text */
  async sql(text: string, url: string = this.url()): Promise<string[][]> {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      const types = { getTypeParser: () => String }
      const results = await client.query<string[]>({ text, rowMode: 'array', types })
      const last = Array.isArray(results) ? results.at(-1) : results
      return last.rows
    } finally {
      await client.end()
    }
  }

  /** As in a crash: each connection breaks. */
  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGQUIT')
    await ended
  }

  /** It takes connections and says nothing, on the open ones neither. @returns what lets it go on, once */
  async pause(): Promise<() => void> {
    const backends = await this.sql(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    )
    const pids = [this.#process?.pid ?? 0, ...backends.map(([pid]) => Number(pid))]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    return () => {
      for (const pid of pids.splice(0)) process.kill(pid, 'SIGCONT')
    }
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A server for one file of tests, gone with it. */
export async function postgresServer(t: Test): Promise<PostgresServer> {
  const server = new PostgresServer(await freePort())
  t.teardown(() => server.close())
  await server.start()
  return server
}

// It refuses to run as root.
function unprivileged(): number {
  try {
    return Number(execFileSync('id', ['-u', 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return 65_534
  }
}
