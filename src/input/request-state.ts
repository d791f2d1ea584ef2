// The sealed `requestState`: the answers so far, bound to the caller, the request and a time.
// Spec 2026-07-28: basic/patterns/mrtr, "Server Requirements".
import { randomUUID } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { McpError } from '../protocol/errors.ts'
import { hashJson } from '../protocol/json-hash.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { UsedTokens } from '../state/used-tokens.ts'
import { assertAnswers } from './answers.ts'
import { readNotes, withoutNotes } from './notes.ts'
import type { Questions } from './questions.ts'

/** How long an answer may take, ms. */
export const STATE_TTL_MS = 10 * 60 * 1000
/** How long kept values count, ms. Each round renews the state, so a client could keep them forever. */
export const KEPT_TTL_MS = 60 * 60 * 1000

export interface RequestState {
  /** Makes the state usable once only. */
  readonly id: string
  readonly expiresAtMs: number
  readonly answers: JsonObject
  /** The keys of the open questions; absent in states of an earlier release. */
  readonly asked?: readonly string[]
}

const NO_ANSWERS: JsonObject = Object.freeze({})

type StatePayload = RequestState & { readonly owner: string | undefined; readonly request: string }

export function sealRequestState(
  seal: Seal,
  exchange: Exchange,
  { used, open, stateId }: Pick<Questions, 'used' | 'open'> & Partial<Pick<Questions, 'stateId'>>,
): string {
  const payload: StatePayload = {
    id: stateId ?? randomUUID(),
    expiresAtMs: Date.now() + STATE_TTL_MS,
    answers: used,
    asked: Object.keys(open),
    owner: exchange.owner,
    request: hashRequest(exchange),
  }
  return seal.seal('request-state', payload)
}

/**
 * @returns undefined on a first call
 * @throws McpError INVALID_STATE (-32602): changed, expired, of another caller or another request
 */
export function openRequestState(seal: Seal, exchange: Exchange): RequestState | undefined {
  const sealed = exchange.params['requestState']
  if (sealed === undefined) return undefined
  const payload = seal.open('request-state', sealed as string) as StatePayload | undefined
  if (payload === undefined)
    throw new McpError('INVALID_STATE', 'it is not as this server sealed it; call again without it')
  const { keptAtMs = Number.POSITIVE_INFINITY } = readNotes(payload.answers)
  if (Math.min(payload.expiresAtMs, keptAtMs + KEPT_TTL_MS) <= Date.now())
    throw new McpError('INVALID_STATE', 'it has expired; call again without it')
  if (payload.owner !== exchange.owner) throw new McpError('INVALID_STATE', 'it was given to someone else')
  if (payload.request !== hashRequest(exchange)) {
    throw new McpError('INVALID_STATE', 'it was given for another request; repeat the same method, name and arguments')
  }
  return payload
}

/**
 * The sealed answers and those of this request; a sealed answer wins. Notes are sealed only.
 *
 * @throws McpError INVALID_PARAMS (-32602) for an invalid answer; the state is not used up then
 */
export function collectAnswers({ params, taskId }: Exchange, state: RequestState | undefined): JsonObject {
  const given = params['inputResponses'] as JsonObject | undefined
  if (given !== undefined) assertAnswers(state?.asked ?? [], given)
  const fresh = given === undefined || taskId !== undefined ? given : withoutNotes(given)
  return state === undefined ? (fresh ?? NO_ANSWERS) : { ...fresh, ...state.answers }
}

function hashRequest({ method, params }: Exchange): string {
  const salient = [method, params['name'] ?? null, params['uri'] ?? null, params['arguments'] ?? {}]
  return hashJson(salient)
}

export interface RequestStateParts {
  readonly seal: Seal
  readonly usedTokens: UsedTokens
}

/**
 * Returns the client's answers. For a tool that changes things, a state counts once, even if the
 * call then fails. @throws McpError INVALID_STATE (-32602)
 */
export function takeAnswers(
  { seal, usedTokens }: RequestStateParts,
  tool: Tool,
  exchange: Exchange,
): MaybePromise<JsonObject> {
  const state = openRequestState(seal, exchange)
  const answers = collectAnswers(exchange, state)
  return state === undefined || !tool.isOneTime ? answers : consumeState(usedTokens, state).then(() => answers)
}

/**
 * Releases the state after an answer that does not fit: the client may send a better one with either
 * state.
 */
export function releaseState(
  { seal, usedTokens }: RequestStateParts,
  exchange: Exchange,
  questions: Partial<Pick<Questions, 'isRepeatable' | 'stateId'>>,
): MaybePromise<void> {
  const state = questions.isRepeatable ? openRequestState(seal, exchange) : undefined
  if (state === undefined) return
  questions.stateId = state.id
  return usedTokens.release(state.id)
}

// After an unfit answer, the next state has the same id, and may expire later: as late as one sealed
// now.
async function consumeState(spent: UsedTokens, { id, expiresAtMs }: RequestState): Promise<void> {
  if ((await spent.consumeOnce(id, Math.max(expiresAtMs, Date.now() + STATE_TTL_MS))) === true) return
  throw new McpError('INVALID_STATE', 'it was already used; call again without it')
}
