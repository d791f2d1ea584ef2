// Waits for versions of files that load: a slow one holds up the others for a bounded time, since
// the top level of a file cannot be stopped and may never end.
import type { FileVersion } from './file-version.ts'

export interface Exported {
  readonly default?: unknown
}

/** How often a wait is checked, ms. */
const POLL_MS = 20
/** How long a file may take before the log reports that it hangs, ms. */
export const HANG_WARNING_MS = 10_000
/** How long serving the other files waits for one, ms. */
const SERVE_WAIT_MS = 2000
/** How long the next load waits for this one, ms. */
const NEXT_FILE_MS = 100
/** Concurrent loads that are waited for. */
const MAX_LOADING = 16

/**
 * Resolves once `ended` has, or after this time.
 *
 * @param ms counted only while the event loop is free: if it is blocked, no load can end
 */
function waitUpTo(ended: Promise<void>, ms: number, { keepsProcess = true } = {}): Promise<void> {
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

/** Waits for the time limit. @returns what to log, or undefined if the load has ended in time */
export async function explainHang(version: FileVersion, limitMs: number): Promise<string | undefined> {
  await waitUpTo(version.ended, limitMs - SERVE_WAIT_MS, { keepsProcess: false })
  if (!version.isUnderWay) return undefined
  const waiting = version.phase === 'setting up' ? 'setup' : 'top level'
  return `has not loaded within ${limitMs} ms; does its ${waiting} wait for something?`
}
