// Waits for versions of files that load: a slow one holds up the others for a bounded time, since
// the top level of a file cannot be stopped and may never end.
import type { LoadGuard } from 'toolrack/definitions'
import type { FileVersion } from './file-version.ts'
import type { Openings } from './openings.ts'
import { fileName } from './tool-roots.ts'

export interface Exported {
  readonly default?: unknown
}

/** How often a wait is checked, ms. */
const POLL_MS = 20
/** How long a file may take before the log reports that it hangs, ms. */
export const HANG_WARNING_MS = 10_000
/** How long serving the other files waits for one, ms. */
export const SERVE_WAIT_MS = 2000
/** How long the next load waits for this one, ms. */
const NEXT_FILE_MS = 100
/** Concurrent loads that are waited for. */
const MAX_LOADING = 16

/**
 * Resolves once `ended` has, or after this time.
 *
 * @param ms counted only while the event loop is free: if it is blocked, no load can end
 */
export function waitUpTo(ended: Promise<unknown>, ms: number, { keepsProcess = true } = {}): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return new Promise(resolve => {
    let ticks = Math.ceil(ms / POLL_MS)
    const timer = setInterval(() => {
      if (--ticks <= 0) stop()
    }, POLL_MS)
    const stop = () => {
      clearInterval(timer)
      resolve()
    }
    if (!keepsProcess) timer.unref()
    void ended.then(stop)
  })
}

/**
 * Starts one load after another. Resolves once each has ended, or its wait is over.
 *
 * @param limitMs how long a file may take
 */
export async function loadInTurn(starts: readonly (() => Promise<void>)[], limitMs: number): Promise<void> {
  const waits = new Set<Promise<void>>()
  for (const start of starts) {
    while (waits.size >= MAX_LOADING) await Promise.race(waits)
    const ended = start()
    const wait = waitUpTo(ended, Math.min(SERVE_WAIT_MS, limitMs))
    waits.add(wait)
    void wait.then(() => waits.delete(wait))
    await waitUpTo(ended, Math.min(NEXT_FILE_MS, limitMs))
  }
  await Promise.all(waits)
}

export interface Load {
  readonly version: FileVersion
  work(): Promise<void>
  /** It has taken longer than a file may. @param reason to log */
  onHang(reason: string): unknown
  /** It has ended after all. */
  onLate(): void
}

export interface LoadsOptions {
  readonly guard: LoadGuard
  readonly openings: Openings
  /** How long a file may take to load, ms. */
  readonly loadLimitMs: number
}

/** The loads of all files, also those that nothing waits for any more. */
export class Loads {
  readonly #options: LoadsOptions
  readonly #slow = new Set<Promise<void>>()

  constructor(options: LoadsOptions) {
    this.#options = options
  }

  /** Resolves once each has ended, or has taken longer than it may. */
  async settled(): Promise<void> {
    await Promise.all(this.#slow)
  }

  /** Runs the work of each. Resolves once each has ended, or the wait is over. */
  async run(loads: readonly Load[]): Promise<void> {
    const { guard, loadLimitMs } = this.#options
    const starts = loads.map(({ version, work }) => {
      return () => version.load(() => guard.load(fileName(version.file), work))
    })
    await loadInTurn(starts, loadLimitMs)
    for (const load of loads) if (load.version.isUnderWay) this.#follow(load)
  }

  #follow({ version, onHang, onLate }: Load): void {
    const told = this.#waitForHang(version, onHang).then(() => void this.#slow.delete(told))
    this.#slow.add(told)
    void version.ended.then(onLate)
  }

  async #waitForHang(version: FileVersion, onHang: Load['onHang']): Promise<void> {
    const { loadLimitMs, openings } = this.#options
    await waitUpTo(version.ended, loadLimitMs - SERVE_WAIT_MS, { keepsProcess: false })
    if (!version.isUnderWay || openings.isShutDown) return
    const waiting = version.phase === 'setting up' ? 'setup' : 'top level'
    await onHang(`has not loaded within ${loadLimitMs} ms; does its ${waiting} wait for something?`)
  }
}
