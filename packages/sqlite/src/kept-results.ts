// Kept results in the file. A claim of a former process is lost at once.
import { randomUUID } from 'node:crypto'
import {
  CLAIM_MS,
  type Claim,
  type ClaimedRun,
  type ClaimRequest,
  KEPT_BOUNDS,
  KEPT_MS,
  type KeptResults,
  mayTakeOver,
} from 'toolrack/stores'
import type { Row, StateFile } from './file.ts'
import { readUsage, type UsageKind } from './usage.ts'

const SWEPT_AT_ONCE = 1000

export class SqliteKeptResults implements KeptResults {
  readonly backend: StateFile
  readonly #now: () => number
  #lastEndMs = 0

  constructor(file: StateFile, now: () => number = Date.now) {
    this.backend = file
    this.#now = now
    file.addChores({
      open: () => void file.run('UPDATE kept_results SET claimed_until = 0 WHERE ended_at IS NULL'),
      sweep: () => this.#sweep(),
    })
  }

  claim(id: string, request: ClaimRequest): Claim {
    const { clientKey, fingerprint, isRepeatable, taskId = null } = request
    const run = { id, token: randomUUID() }
    const values = [id, clientKey, fingerprint, Number(isRepeatable), taskId, run.token, this.#now() + CLAIM_MS]
    return this.backend.atomically(() => {
      const row = this.#read(id)
      const held = row && describeHolder(row, request, this.#now())
      if (held !== undefined) return held
      if (row !== undefined) this.#forget(id)
      if (!this.#makeRoom(clientKey)) return { status: 'full' }
      const columns = '(id, client, fingerprint, is_repeatable, task, token, claimed_until)'
      this.backend.run(`INSERT INTO kept_results ${columns} VALUES (?, ?, ?, ?, ?, ?, ?)`, ...values)
      return { status: 'claimed', run }
    })
  }

  renew({ id, token }: ClaimedRun): void {
    const sql = 'UPDATE kept_results SET claimed_until = ?, ended_at = NULL WHERE id = ? AND token = ?'
    this.backend.run(sql, this.#now() + CLAIM_MS, id, token)
  }

  keep(run: ClaimedRun, outcome: string): void {
    this.backend.insist(() => this.backend.atomically(() => this.#end(run, outcome)))
  }

  release({ id, token }: ClaimedRun): void {
    this.backend.run('DELETE FROM kept_results WHERE id = ? AND token = ?', id, token)
  }

  #end({ id, token }: ClaimedRun, outcome: string): void {
    const sql = 'UPDATE kept_results SET outcome = ?, size = ?, ended_at = ?, token = NULL WHERE id = ? AND token = ?'
    const isKept = this.backend.run(sql, outcome, Buffer.byteLength(outcome), this.#nextEndMs(), id, token) > 0
    if (isKept) this.#trim(String(this.#read(id)?.['client']))
  }

  // An expired one counts as missing, even if it is not removed yet.
  #read(id: string): Row | undefined {
    const sql = 'SELECT * FROM kept_results WHERE id = ? AND (ended_at IS NULL OR ended_at > ?)'
    return this.backend.get(sql, id, this.#now() - KEPT_MS)
  }

  #forget(id: string): void {
    this.backend.run('DELETE FROM kept_results WHERE id = ?', id)
  }

  /** False if all kept entries still run. */
  #makeRoom(clientKey: string): boolean {
    const hasRoom = (kind: UsageKind, client: string, maxCount: number) =>
      readUsage(this.backend, kind, client).count < maxCount || this.#forgetOldest(kind, client)
    return (
      hasRoom('kept results', clientKey, KEPT_BOUNDS.maxCountOfClient) &&
      hasRoom('kept results*', '', KEPT_BOUNDS.maxCount)
    )
  }

  #trim(clientKey: string): void {
    const trim = (kind: UsageKind, client: string, maxBytes: number) => {
      while (readUsage(this.backend, kind, client).bytes > maxBytes && this.#forgetOldest(kind, client));
    }
    trim('kept results', clientKey, KEPT_BOUNDS.maxBytesOfClient)
    trim('kept results*', '', KEPT_BOUNDS.maxBytes)
  }

  #forgetOldest(kind: UsageKind, client: string): boolean {
    const condition = kind === 'kept results' ? 'client = ?' : "'' = ?"
    const oldest = `SELECT id FROM kept_results WHERE ${condition} AND ended_at IS NOT NULL ORDER BY ended_at LIMIT 1`
    return this.backend.run(`DELETE FROM kept_results WHERE id = (${oldest})`, client) > 0
  }

  /** Later than all earlier ones, so that results of the same millisecond have an order. */
  #nextEndMs(): number {
    this.#lastEndMs = Math.max(this.#now(), this.#lastEndMs + 0.001)
    return this.#lastEndMs
  }

  #sweep(): void {
    const nowMs = this.#now()
    // A lost claim counts as ended.
    this.backend.run('UPDATE kept_results SET ended_at = ? WHERE ended_at IS NULL AND claimed_until <= ?', nowMs, nowMs)
    const expired = `SELECT id FROM kept_results WHERE ended_at <= ? LIMIT ${SWEPT_AT_ONCE}`
    this.backend.run(`DELETE FROM kept_results WHERE id IN (${expired})`, nowMs - KEPT_MS)
  }
}

/** @returns undefined if the id may be claimed again */
function describeHolder(row: Row, request: ClaimRequest, nowMs: number): Claim | undefined {
  const { client, outcome, task } = row
  const fingerprint = String(row['fingerprint'])
  if (typeof outcome === 'string') return { status: 'ended', fingerprint, outcome }
  const held = { clientKey: String(client), fingerprint, isRepeatable: row['is_repeatable'] === 1 }
  if (mayTakeOver({ ...held, taskId: task === null ? undefined : String(task) }, request)) return undefined
  if (Number(row['claimed_until']) > nowMs) return { status: 'running', fingerprint }
  return request.isRepeatable && fingerprint === request.fingerprint ? undefined : { status: 'lost', fingerprint }
}
