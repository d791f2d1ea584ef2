// Somebody who swaps what a path names, as fast as can be, while we use it; and what came of it.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// A thread of its own, since swaps that wait their turn among our own steps would always meet the same one.
const SWAPPER = `
  const { existsSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs')
  const { workerData: { one, other, steps, swaps, isDone } } = require('node:worker_threads')
  const attempt = work => { try { work() } catch {} }
  const aside = one + '.aside'
  const kinds = {
    exchange() {
      attempt(() => renameSync(one, aside))
      attempt(() => renameSync(other, one))
      attempt(() => renameSync(one, other))
      attempt(() => renameSync(aside, one))
    },
    refill() {
      if (!existsSync(one + '/secret.csv')) {
        attempt(() => writeFileSync(one + '/new', 'a\\n1\\n'))
        attempt(() => renameSync(one + '/new', one + '/secret.csv'))
      }
      kinds.exchange()
    },
    remake() {
      rmSync(aside, { recursive: true, force: true })
      attempt(() => renameSync(one, aside))
      attempt(() => symlinkSync(other, one))
      attempt(() => unlinkSync(one))
      attempt(() => renameSync(aside, one))
    },
    replace() {
      attempt(() => writeFileSync(aside, 'a\\n1\\n'))
      attempt(() => symlinkSync(other, aside + '-link'))
      attempt(() => renameSync(aside + '-link', one))
      attempt(() => writeFileSync(aside + '-2', 'a\\n1\\n'))
      attempt(() => renameSync(aside, one))
    },
  }
  while (Atomics.load(isDone, 0) === 0) {
    kinds[steps]()
    Atomics.add(swaps, 0, 1)
  }`

export interface Swap {
  one: string
  /** Where the link leads, with `remake` and `replace`. */
  other: string
  /**
   * `exchange`: of two names. `refill`: the same, with a new file in the folder `one` where it was deleted.
   * `remake`: a folder and a link, also where others make the folder anew. `replace`: a file, a link, another file.
   */
  steps?: 'exchange' | 'refill' | 'remake' | 'replace'
}

/** Swaps for as long as `work` takes. @returns how often */
export async function whileSwapping(
  { steps = 'exchange', ...names }: Swap,
  work: () => Promise<void>,
): Promise<number> {
  const swaps = new Int32Array(new SharedArrayBuffer(4))
  const isDone = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(SWAPPER, { eval: true, workerData: { ...names, steps, swaps, isDone } })
  const ended = once(worker, 'exit')
  await once(worker, 'online')
  await work().finally(() => Atomics.store(isDone, 0, 1))
  await ended
  return Atomics.load(swaps, 0)
}

export interface Race {
  attempt: () => Promise<string>
  /** Whether the outcomes so far show that there was a race: a machine may keep one of the two from running for long. */
  isOne?: (seen: Readonly<Record<string, number>>) => boolean
}

/** How long a race may take to become one. */
const MOST_MS = 60_000

/**
 * Runs `attempt` so many times, several at once, while the names are swapped; `none` is no attempt. Goes on until it was a
 * race, but not for ever.
 *
 * @returns how often each outcome came
 */
export async function race(
  swap: Swap,
  times: number,
  { attempt, isOne = () => true }: Race,
): Promise<{ swaps: number; seen: Record<string, number> }> {
  const seen: Record<string, number> = {}
  let left = times
  const endMs = performance.now() + MOST_MS
  const isOver = () => left <= 0 && (isOne(seen) || performance.now() > endMs)
  const some = async () => {
    while (!isOver()) {
      const outcome = await attempt().catch((error: Error) => `${error.name}: ${wordsOf(error.message)}`)
      seen[outcome] = (seen[outcome] ?? 0) + 1
      if (outcome !== 'none') left--
    }
  }
  const swaps = await whileSwapping(swap, async () => {
    await Promise.all([some(), some()])
  })
  return { swaps, seen }
}

const wordsOf = (message: string) =>
  /is refused|no readable|not a regular|was replaced|removed meanwhile/.exec(message)?.[0] ?? message
