// Calls with an idempotency key. The first one runs, and the others get its result. Calls at the same
// time share one run, also across replicas.
import { setTimeout as sleep } from 'node:timers/promises'
import { CONFIRMATION_ARGUMENT, readConfirmation } from '../input/confirmation.ts'
import { hashJson } from '../protocol/json-hash.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { KEY_ARGUMENT, MAX_KEY_LENGTH } from '../registry/idempotency-key.ts'
import type { Tool } from '../registry/tool.ts'
import type { CancelReason } from '../request/cancellation.ts'
import type { Exchange, Log } from '../request/exchange.ts'
import type { Inflight } from '../request/inflight.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { PerKeyCounter } from '../request/per-key-counter.ts'
import { type ClaimedRun, KEPT_BOUNDS, type KeptResults } from '../state/kept-results.ts'
import { getArguments } from './arguments.ts'
import { HeldClaim } from './held-claim.ts'
import { type Ended, KeyedRun, type Outcome, unknownText } from './keyed-run.ts'
import { MAX_QUEUED_PER_SUBJECT } from './per-subject-semaphore.ts'
import { runWithDeadline, toCancelFailure } from './run.ts'
import { failureResult, refuseArguments, ToolFailure } from './tool-failure.ts'

export type { KeyedRun } from './keyed-run.ts'

/** Members of `_meta` that may give the key instead of the argument. */
const META_KEYS = ['toolrack/idempotencyKey', KEY_ARGUMENT] as const

/** @throws ToolFailure `invalid_arguments` if the key is invalid */
export function findIdempotencyKey(tool: Tool, exchange: Exchange): string | undefined {
  const meta = exchange.meta as JsonObject
  const found = [getArguments(exchange)[KEY_ARGUMENT], ...META_KEYS.map(key => meta[key])].filter(
    key => key !== undefined,
  )
  const key = found[0]
  if (key === undefined) return undefined
  if (isKey(key) && found.every(each => each === key)) return key
  throw refuseArguments(tool.name, `${KEY_ARGUMENT} must be one string of 1 to ${MAX_KEY_LENGTH} characters`)
}

// Counts like JSON Schema: two units may be one character.
const isKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length >= 1 && key.length <= 2 * MAX_KEY_LENGTH && [...key].length <= MAX_KEY_LENGTH

// Ignores `_meta`: some clients put that of the request there, which differs each time. Ignores a
// confirmation, which is good once, so the next call cannot send it again.
function toFingerprint(tool: Tool, { [KEY_ARGUMENT]: _key, ...args }: JsonObject): string {
  if (!tool.declared.has('_meta')) delete args['_meta']
  if (readConfirmation(args[CONFIRMATION_ARGUMENT]) !== undefined) delete args[CONFIRMATION_ARGUMENT]
  return hashJson(args)
}

export interface KeyedCall {
  readonly tool: Tool
  readonly exchange: Exchange
  readonly args: JsonObject
  readonly key: string
  readonly timeoutMs: number
}

type Work<T> = (exchange: Exchange, run: KeyedRun) => MaybePromise<T>

/** Calls of this process that wait for the first call with their key. */
const MAX_WAITING = 1000

const MIN_POLL_MS = 50
const MAX_POLL_MS = 1000

interface Wait {
  readonly id: string
  readonly clientKey: string
  readonly pollMs: number
  readonly leftMs: number
}

export class IdempotentCalls {
  readonly #kept: KeptResults
  readonly #inflight: Inflight
  /** Runs of this process, by id. */
  readonly #running = new Map<string, HeldClaim>()
  readonly #waiting = new PerKeyCounter({ perKey: MAX_QUEUED_PER_SUBJECT, inAll: MAX_WAITING })

  /** @param inflight counts the runs, which may continue after their clients have left */
  constructor(kept: KeptResults, inflight: Inflight) {
    this.#kept = kept
    this.#inflight = inflight
  }

  /**
   * @param work runs the call. If the client leaves after the handler has begun, the run continues, so
   *   that the client can call again for its result.
   * @throws ToolFailure if no result can be given; McpError STATE_UNAVAILABLE (503)
   */
  async call<T extends Outcome>(call: KeyedCall, work: Work<T>): Promise<T | Ended> {
    const { tool, exchange, args, key, timeoutMs } = call
    const owner = exchange.owner ?? exchange.clientKey
    const [id, clientKey] = [hashJson([owner, tool.name, key]), hashJson(owner)]
    const { isIdempotent: isRepeatable } = tool
    const request = { clientKey, fingerprint: toFingerprint(tool, args), isRepeatable, taskId: exchange.taskId }
    const untilMs = performance.now() + timeoutMs
    for (let pollMs = MIN_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, 2 * pollMs)) {
      const claim = await this.#kept.claim(id, request)
      if (claim.status === 'claimed') return this.#run(claim.run, call, work)
      if (claim.status === 'full') throw createFullFailure(tool)
      if (claim.fingerprint !== request.fingerprint) throw createReuseFailure(tool)
      if (claim.status === 'ended') return JSON.parse(claim.outcome) as Ended
      // A run of this process is not lost: its claim was only not renewed for a while.
      if (claim.status === 'lost' && !this.#running.has(id)) throw new ToolFailure('tool_error', unknownText(tool))
      await this.#wait(call, { id, clientKey, pollMs, leftMs: untilMs - performance.now() })
    }
  }

  async #wait({ tool: { name }, exchange, timeoutMs }: KeyedCall, wait: Wait): Promise<void> {
    const { id, clientKey, pollMs, leftMs } = wait
    const { cancellation } = exchange
    if (leftMs <= 0) throw toCancelFailure('deadline', { name, timeoutMs })
    if (!this.#waiting.take(clientKey))
      throw new ToolFailure('busy', `${name} is busy: too many calls wait for the first one of their key`)
    const next = this.#running.get(id)?.over ?? sleep(pollMs)
    try {
      await runWithDeadline(() => next, { name, timeoutMs: leftMs, cancellation, onAbandoned: () => {} })
    } catch {
      // The text names the whole time, not the rest of it.
      throw toCancelFailure(cancellation.reason ?? 'deadline', { name, timeoutMs })
    } finally {
      this.#waiting.release(clientKey)
    }
  }

  async #run<T extends Outcome>(claimed: ClaimedRun, call: KeyedCall, work: Work<T>): Promise<T | Ended> {
    const { tool, exchange } = call
    const cancellation = this.#inflight.createCancellation()
    const run = new KeyedRun(tool, cancellation)
    const passOn = (reason: CancelReason) => {
      if (reason !== 'client-left' || !run.mayHaveActed) cancellation.cancel(reason)
    }
    exchange.cancellation.onCancel(passOn)
    const onBegun = () => (run.hasBegunInProcess = true)
    const own = { ...exchange, cancellation, onBegun }
    const claim = this.#hold(claimed, exchange.log)
    try {
      return await settleClaim(claim, run, { tool, work: () => work(own, run) })
    } finally {
      exchange.cancellation.offCancel(passOn)
    }
  }

  #hold(claimed: ClaimedRun, log: Log): HeldClaim {
    const { id } = claimed
    const claim = new HeldClaim(claimed, { kept: this.#kept, inflight: this.#inflight, log })
    this.#running.set(id, claim)
    // The next run with this id may have begun already.
    void claim.over.then(() => this.#running.get(id) === claim && this.#running.delete(id))
    return claim
  }
}

/** Keeps the outcome of a run that may have acted. */
async function settleClaim<T extends Outcome>(
  claim: HeldClaim,
  run: KeyedRun,
  { tool, work }: { readonly tool: Tool; work(): MaybePromise<T> },
): Promise<T | Ended> {
  try {
    const outcome = await work()
    if (run.mayRepeat(outcome)) {
      await claim.release()
      return outcome
    }
    const ended = run.explain(outcome as unknown as Ended)
    await claim.keep(toKept(tool, ended))
    return ended
  } catch (error) {
    if (run.mayRepeatAfter(error)) await claim.release()
    else await claim.keep(toJson(unknownText(tool)))
    throw error
  }
}

const toJson = (text: string) => JSON.stringify({ kind: 'tool_error', result: failureResult(text) } satisfies Ended)

function toKept({ name }: Tool, ended: Ended): string {
  const json = JSON.stringify(ended)
  if (Buffer.byteLength(json) <= KEPT_BOUNDS.maxBytesOfClient) return json
  return toJson(`The first call of ${name} with this key has ended, but its result was too large to be kept.`)
}

const createFullFailure = ({ name }: Tool) =>
  new ToolFailure('busy', `${name} is busy: too many calls with idempotency keys run; retry in a few seconds`)

const createReuseFailure = ({ name }: Tool) =>
  refuseArguments(name, `${KEY_ARGUMENT} was used with other arguments; use a new key for a new call`)
