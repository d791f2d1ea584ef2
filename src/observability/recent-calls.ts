// The recent calls of this process, for the console: who called what, and how it ended. Never has
// arguments or results.
import type { Mask } from '../execution/mask.ts'
import type { Caller } from '../request/exchange.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import type { Owners } from '../request/owners.ts'
import { type CleanName, createNameCleaner, MAX_URI_LENGTH, shortenTaskId } from './clean-name.ts'
import type { RequestEnded, Target } from './request-ended.ts'

/** Calls that are kept; the oldest are dropped. */
export const MAX_RECENT_CALLS = 1000

/** One call as a reader sees it. */
export interface RecentCall {
  /** Counts the calls of this process, from 1. */
  readonly seq: number
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly method: string
  /** The name of the tool or prompt, the URI, or the start of the task's id. */
  readonly target?: string | undefined
  /** The subject of its token. */
  readonly caller?: string | undefined
  readonly outcome: RequestOutcome
  readonly durationMs: number
  /** Of the response; undefined if a stream continues. */
  readonly bytes?: number | undefined
}

interface KeptCall extends Omit<RecentCall, 'at'> {
  readonly endedAtMs: number
  readonly owner: string | undefined
}

export class RecentCalls {
  /** A ring: the call `seq` is at `seq % MAX_RECENT_CALLS`. */
  readonly #calls: KeptCall[] = []
  readonly #cleanName: CleanName
  readonly #owners: Owners
  #lastSeq = 0

  constructor(mask: Mask, owners: Owners) {
    this.#cleanName = createNameCleaner(mask)
    this.#owners = owners
  }

  /** Keeps what named a method; the rest was refused before its message was read. */
  readonly add = ({ method, target, caller, ending, durationMs = 0, responseJson }: RequestEnded): void => {
    if (method === undefined) return
    const seq = ++this.#lastSeq
    this.#calls[seq % MAX_RECENT_CALLS] = {
      seq,
      endedAtMs: Date.now(),
      method: this.#cleanName(method),
      target: this.#describe(target),
      caller: caller && this.#cleanName(caller.subject),
      owner: this.#owners.find(caller),
      outcome: ending.outcome,
      durationMs: Math.round(durationMs * 100) / 100,
      bytes: responseJson === undefined ? undefined : Buffer.byteLength(responseJson),
    }
  }

  /**
   * Returns the kept calls behind a number, the oldest first. A number that this process has not
   * reached is of an earlier process: it returns all.
   */
  after(seq: number): RecentCall[] {
    return this.#select(seq).map(toRecentCall)
  }

  /** The same for the calls of one caller. */
  ownAfter(seq: number, caller: Caller): RecentCall[] {
    const reader = this.#owners.find(caller)
    return this.#select(seq)
      .filter(({ owner }) => owner === reader)
      .map(toRecentCall)
  }

  #select(after: number): KeptCall[] {
    const from = Math.max((after > this.#lastSeq ? 0 : after) + 1, this.#lastSeq - MAX_RECENT_CALLS + 1)
    const calls: KeptCall[] = []
    for (let seq = from; seq <= this.#lastSeq; seq++) calls.push(this.#calls[seq % MAX_RECENT_CALLS]!)
    return calls
  }

  #describe(target: Target | undefined): string | undefined {
    if (typeof target?.name !== 'string') return undefined
    const { kind, name } = target
    if (kind === 'uri') return this.#cleanName(name, MAX_URI_LENGTH)
    return this.#cleanName(kind === 'task' ? shortenTaskId(name) : name)
  }
}

const toRecentCall = ({ owner: _, endedAtMs, seq, ...rest }: KeptCall): RecentCall => ({
  seq,
  at: new Date(endedAtMs).toISOString(),
  ...rest,
})
