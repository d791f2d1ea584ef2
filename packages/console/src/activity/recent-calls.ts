// The recent calls of this process, for the console: who called what, and how it ended. Never
// contains arguments or results.
import type { Caller } from 'toolrack'
import type { Mask } from 'toolrack/execution'
import type { Owners, RequestOutcome } from 'toolrack/protocol'
import {
  createNameCleaner,
  MAX_URI_LENGTH,
  type NameCleaner,
  type RequestEnded,
  shortenTaskId,
  type Target,
} from 'toolrack/records'
import type { ActivityCall, CallScope } from './activity.ts'
import type { FigureAnswer, FigureQuery } from './call-figures.ts'
import { toFigures } from './kept-figures.ts'

/** Maximum number of kept calls; the oldest are dropped. */
export const MAX_RECENT_CALLS = 1000

interface KeptCall extends Omit<ActivityCall, 'at' | 'outcome'> {
  readonly outcome: RequestOutcome
  readonly endedAtMs: number
  readonly owner: string | undefined
  readonly tenantKey: string | undefined
}

export class RecentCalls {
  /** A ring: the oldest call is at `#next` once it is full. */
  readonly #calls: KeptCall[] = []
  readonly #clean: NameCleaner
  readonly #owners: Owners
  #next = 0
  #lastSeq = 0

  constructor(mask: Mask, owners: Owners) {
    this.#clean = createNameCleaner(mask)
    this.#owners = owners
  }

  /** Keeps requests that named a method. Others were refused before their message was read. */
  add({ method, target, caller, ending, durationMs = 0, responseJson }: RequestEnded, endedAtMs: number): void {
    if (method === undefined) return
    const tenant = this.#owners.showTenant(caller)
    this.#lastSeq = Math.max(this.#lastSeq + 1, Math.floor(1000 * (performance.timeOrigin + performance.now())))
    this.#calls[this.#next] = {
      seq: this.#lastSeq,
      endedAtMs,
      method: this.#clean.name(method),
      target: this.#describe(target),
      caller: caller && this.#clean.identity(caller.subject),
      issuer: caller?.issuer === undefined ? undefined : this.#clean.identity(caller.issuer),
      owner: this.#owners.find(caller),
      tenant: tenant === undefined ? undefined : this.#clean.identity(tenant),
      tenantKey: this.#owners.findTenant(caller),
      outcome: ending.outcome,
      durationMs: Math.round(durationMs * 100) / 100,
      bytes: responseJson === undefined ? undefined : Buffer.byteLength(responseJson),
    }
    this.#next = (this.#next + 1) % MAX_RECENT_CALLS
  }

  /**
   * Returns the kept calls after a number, the oldest first. A number above the last one that the
   * reader may see comes from an earlier process, so it returns all.
   */
  after(seq: number, scope: CallScope, reader: Caller | undefined): ActivityCall[] {
    const calls = this.#select(scope, reader)
    const from = seq > (calls.at(-1)?.seq ?? 0) ? 0 : seq
    return calls.filter(call => call.seq > from).map(toActivityCall)
  }

  /** The figures of the calls that the reader may see. */
  summarize(query: FigureQuery, scope: CallScope, reader: Caller | undefined): FigureAnswer {
    return toFigures(this.#select(scope, reader), query)
  }

  #select(scope: CallScope, reader: Caller | undefined): readonly KeptCall[] {
    const calls = [...this.#calls.slice(this.#next), ...this.#calls.slice(0, this.#next)]
    if (scope === 'all') return calls
    const [owner, tenantKey] = [this.#owners.find(reader), this.#owners.findTenant(reader)]
    if (scope === 'own' || tenantKey === undefined) return calls.filter(call => call.owner === owner)
    return calls.filter(call => call.tenantKey === tenantKey)
  }

  #describe(target: Target | undefined): string | undefined {
    if (typeof target?.name !== 'string') return undefined
    const { kind, name } = target
    if (kind === 'uri') return this.#clean.name(name, MAX_URI_LENGTH)
    return this.#clean.name(kind === 'task' ? shortenTaskId(name) : name)
  }
}

const toActivityCall = ({ owner: _owner, tenantKey: _tenantKey, endedAtMs, seq, ...rest }: KeptCall): ActivityCall => ({
  seq,
  at: new Date(endedAtMs).toISOString(),
  ...rest,
})
