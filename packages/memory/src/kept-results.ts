// Kept results of one process.
import { randomUUID } from 'node:crypto'
import {
  type Claim,
  type ClaimedRun,
  type ClaimRequest,
  KEPT_BOUNDS,
  KEPT_MS,
  type KeptResults,
  mayTakeOver,
} from 'toolrack/stores'

interface Kept extends ClaimedRun, ClaimRequest {
  /** Undefined while the call runs. */
  ended: { readonly outcome: string; readonly bytes: number; readonly atMs: number } | undefined
}

/** The usage of one client, or of all. */
class Share {
  readonly #running = new Set<Kept>()
  /** The oldest first. */
  readonly #ended = new Set<Kept>()
  #bytes = 0

  get count(): number {
    return this.#running.size + this.#ended.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get oldest(): Kept | undefined {
    return this.#ended.values().next().value
  }

  add(kept: Kept): void {
    if (kept.ended === undefined) this.#running.add(kept)
    else this.#ended.add(kept)
    this.#bytes += kept.ended?.bytes ?? 0
  }

  delete(kept: Kept): void {
    this.#running.delete(kept)
    if (this.#ended.delete(kept)) this.#bytes -= kept.ended!.bytes
  }
}

export class MemoryKeptResults implements KeptResults {
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()
  readonly #all = new Share()
  /** Only of clients that have kept results. */
  readonly #clients = new Map<string, Share>()

  /** @param now a monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  claim(id: string, request: ClaimRequest): Claim {
    this.#forgetExpired()
    const known = this.#kept.get(id)
    if (known !== undefined && known.ended === undefined && mayTakeOver(known, request)) this.#forget(known)
    else if (known !== undefined) {
      const { fingerprint, ended } = known
      return ended === undefined
        ? { status: 'running', fingerprint }
        : { status: 'ended', fingerprint, outcome: ended.outcome }
    }
    const hasRoom =
      this.#makeRoom(this.#shareOf(request.clientKey), KEPT_BOUNDS.maxCountOfClient) &&
      this.#makeRoom(this.#all, KEPT_BOUNDS.maxCount)
    if (!hasRoom) return { status: 'full' }
    const kept: Kept = { ...request, id, token: randomUUID(), ended: undefined }
    this.#kept.set(id, kept)
    this.#add(kept)
    return { status: 'claimed', run: kept }
  }

  // Does nothing: a process that is gone has lost its memory, too.
  renew(): void {}

  keep(run: ClaimedRun, outcome: string): void {
    const kept = this.#findRunning(run)
    if (kept === undefined) return
    this.#delete(kept)
    kept.ended = { outcome, bytes: Buffer.byteLength(outcome), atMs: this.#now() }
    const own = this.#add(kept)
    while (own.bytes > KEPT_BOUNDS.maxBytesOfClient) this.#forget(own.oldest!)
    while (this.#all.bytes > KEPT_BOUNDS.maxBytes) this.#forget(this.#all.oldest!)
  }

  release(run: ClaimedRun): void {
    const kept = this.#findRunning(run)
    if (kept !== undefined) this.#forget(kept)
  }

  #findRunning({ id, token }: ClaimedRun): Kept | undefined {
    const kept = this.#kept.get(id)
    return kept?.token === token && kept.ended === undefined ? kept : undefined
  }

  #forgetExpired(): void {
    for (let kept = this.#all.oldest; kept !== undefined; kept = this.#all.oldest) {
      if (this.#now() - kept.ended!.atMs < KEPT_MS) return
      this.#forget(kept)
    }
  }

  /** False if all kept entries still run. */
  #makeRoom(share: Share, maxCount: number): boolean {
    if (share.count < maxCount) return true
    if (share.oldest === undefined) return false
    this.#forget(share.oldest)
    return true
  }

  #forget(kept: Kept): void {
    this.#kept.delete(kept.id)
    this.#delete(kept)
  }

  #add(kept: Kept): Share {
    const own = this.#shareOf(kept.clientKey)
    this.#clients.set(kept.clientKey, own)
    for (const share of [own, this.#all]) share.add(kept)
    return own
  }

  #delete(kept: Kept): void {
    const own = this.#shareOf(kept.clientKey)
    for (const share of [own, this.#all]) share.delete(kept)
    if (own.count === 0) this.#clients.delete(kept.clientKey)
  }

  #shareOf(clientKey: string): Share {
    return this.#clients.get(clientKey) ?? new Share()
  }
}
