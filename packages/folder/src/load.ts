// Waits for versions of files to load. A slow file delays the others for a bounded time only:
// nothing can stop the top level of a file, which may never end.
import type { LoadGuard } from 'toolrack/definitions'
import type { FileVersion } from './file-version.ts'
import type { Openings } from './openings.ts'
import { fileName } from './tool-roots.ts'

export interface Exported {
  readonly default?: unknown
}

/** How often a wait is checked, ms. */
const POLL_MS = 20
/** How long a file may take before the log says that it hangs, ms. */
export const HANG_WARNING_MS = 10_000
/** How long one file delays serving the other files, ms. */
export const SERVE_WAIT_MS = 2000
/** How long the next load waits for this one, ms. */
const NEXT_FILE_MS = 100
/** Maximum number of concurrent loads. */
const MAX_LOADING = 16

/**
 * Resolves once `ended` has resolved, or after this time.
 *
 * @param ms counted only while the event loop is free: a blocked loop cannot end a load
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
 * Starts one load after the other. Resolves once each has ended, or its wait is over.
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
  /** The load has taken longer than a file may. @param reason to log */
  onHang(reason: string): unknown
  /** The load has ended late. */
  onLate(): void
}

export interface LoadsOptions {
  readonly guard: LoadGuard
  readonly openings: Openings
  /** How long a file may take to load, ms. */
  readonly loadLimitMs: number
}

/** The loads of all files, also those that are not awaited any more. */
export class Loads {
  readonly #options: LoadsOptions
  readonly #slow = new Set<Promise<void>>()

  constructor(options: LoadsOptions) {
    this.#options = options
  }

  /** Resolves once each has ended, or has used up its time. */
  async settled(): Promise<void> {
    await Promise.all(this.#slow)
  }

  /** Runs each load. Resolves once each has ended, or its wait is over. */
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
