// Exchange → answer: finds the method, checks its params, serves it, encodes the result, and emits
// one RequestEnded.
import type { Seal } from './auth/seal.ts'
import { sealRequestState } from './input/request-state.ts'
import type { AskedQuestions } from './input/rounds.ts'
import { findTarget, METHODS } from './methods/index.ts'
import { DETACHED, type Method, type MethodResult, type MethodRuntime } from './methods/method.ts'
import type { Audit } from './observability/audit.ts'
import { UNKNOWN } from './observability/metrics.ts'
import type { Labels, RequestEvents } from './observability/request-ended.ts'
import { type Ending, STREAMING, toEnding, toErrorEnding } from './observability/request-ended.ts'
import type { RequestSpan, Tracing } from './observability/tracing.ts'
import { encodeResult, Serialised } from './protocol/encode.ts'
import { McpError } from './protocol/errors.ts'
import type { JsonObject } from './protocol/messages.ts'
import type { Catalog } from './registry/catalog.ts'
import { type Answer, createErrorAnswer, createResultAnswer, jitterRetryAfter } from './request/answer.ts'
import type { Exchange } from './request/exchange.ts'
import type { Inflight } from './request/inflight.ts'
import { andThen, type MaybePromise, settle } from './request/maybe-promise.ts'
import { assertParams } from './request/params.ts'
import { openIfQuiet } from './request/quiet.ts'
import { MAX_ANSWER_WAIT_MS, type UnsentBytes } from './request/unsent-bytes.ts'
import { toLogged } from './text/logged-error.ts'

export interface ServeRuntime extends MethodRuntime {
  readonly inflight: Inflight
  readonly unsent: UnsentBytes
  readonly audit: Pick<Audit, 'isReady'>
  readonly events: RequestEvents
  /** Undefined if no OpenTelemetry SDK listens. */
  readonly tracing: Tracing | undefined
}

/**
 * Serves one request and counts it as under way. Never throws: an error becomes an answer.
 *
 * @returns undefined if a method has detached the stream and will answer on it
 */
export function serve(exchange: Exchange, runtime: ServeRuntime): MaybePromise<Answer | undefined> {
  const { tracing, catalog } = runtime
  if (tracing === undefined) return answer(exchange, runtime, undefined)
  const span = tracing.startRequest(exchange, findServed(exchange, catalog)?.key)
  return span.within(() => answer(span.exchange, runtime, span))
}

function answer(
  exchange: Exchange,
  runtime: ServeRuntime,
  span: RequestSpan | undefined,
): MaybePromise<Answer | undefined> {
  const startedMs = performance.now()
  runtime.inflight.begin()
  const end = (answered: Answered) => {
    runtime.inflight.end()
    const durationMs = performance.now() - startedMs
    span?.end({ ending: answered.ending, error: answered.error, durationMs })
    emitEnded(exchange, runtime, answered, durationMs)
    return answered.answer
  }
  const result = settle(
    () => andThen(dispatch(exchange, runtime), served => encodeWhenRoom(served, exchange, runtime)),
    answered => answered,
    error => refuse(error, exchange),
  )
  if (!(result instanceof Promise)) return end(result)
  const { timers } = runtime.inflight
  const opening = openIfQuiet(exchange.sink, timers)
  return result.then(answered => {
    timers.clearTimeout(opening)
    return end(answered)
  })
}

/**
 * @returns the result in the newest revision's shape
 * @throws McpError AUDIT_UNAVAILABLE (503), METHOD_NOT_FOUND (-32601), INVALID_PARAMS (-32602), and what the
 *   method throws
 */
function dispatch(exchange: Exchange, runtime: ServeRuntime): MaybePromise<MethodResult | typeof DETACHED> {
  runtime.unsent.assertRoom(exchange.clientKey)
  if (!runtime.audit.isReady) throw createAuditError()
  const method = findMethod(exchange, runtime)
  method.assertAllowed?.(exchange)
  assertParams(method.params, exchange.params)
  return method.serve(exchange, runtime)
}

const createAuditError = () =>
  new McpError('AUDIT_UNAVAILABLE', 'nothing is called that cannot be recorded; retry', {
    retryAfterS: jitterRetryAfter(5),
  })

function findMethod({ method, params, revision }: Exchange, { catalog, settings }: ServeRuntime): Method {
  const found = revision.methods.has(method) ? METHODS.get(method) : undefined
  if (found === undefined || found.isOffered?.(catalog, params, settings) === false)
    throw new McpError('METHOD_NOT_FOUND', method)
  return found
}

/** How a request ended, and what its client gets. */
interface Answered {
  readonly ending: Ending
  readonly answer: Answer | undefined
  readonly error?: unknown
}

function encodeWhenRoom(
  served: MethodResult | typeof DETACHED,
  exchange: Exchange,
  runtime: ServeRuntime,
): MaybePromise<Answered> {
  if (served === DETACHED) return { ending: STREAMING, answer: undefined }
  if (runtime.unsent.hasRoom(exchange.clientKey)) return encode(served, exchange, runtime)
  return waitForRoom(served, exchange, runtime)
}

// Checks and encodes in one tick: several answers wake together, and the first may take the room.
async function waitForRoom(served: MethodResult, exchange: Exchange, runtime: ServeRuntime): Promise<Answered> {
  const { unsent } = runtime
  const untilMs = unsent.now() + MAX_ANSWER_WAIT_MS
  while (!unsent.hasRoom(exchange.clientKey)) await unsent.wait(exchange.clientKey, untilMs)
  return encode(served, exchange, runtime)
}

/** A longer answer, in characters, is counted once built, so that the next finds less room. */
const LARGE_LENGTH = 16 * 1024

function encode(served: MethodResult, exchange: Exchange, runtime: ServeRuntime): Answered {
  const { kind } = served
  const { unsent, seal } = runtime
  const result = 'questions' in served ? toInputRequired(seal, served.exchange, served.questions) : served.result
  const isError = !(result instanceof Serialised) && result['isError'] === true
  const ending = toEnding(kind, isError, exchange.cancellation.reason)
  const { facts = undefined, serverMeta = runtime.serverMeta } = 'questions' in served ? {} : served
  const answer = createResultAnswer(exchange.id, encodeResult(result, exchange, serverMeta), ending.outcome, facts)
  if (answer.json.length > LARGE_LENGTH) unsent.addBuilt(answer.json.length)
  return { ending, answer }
}

/** Spec 2026-07-28: basic/patterns/mrtr, "InputRequiredResult". */
function toInputRequired(seal: Seal, exchange: Exchange, questions: AskedQuestions): JsonObject {
  const requestState = sealRequestState(seal, exchange, questions)
  return { resultType: 'input_required', inputRequests: questions.open, requestState }
}

function refuse(error: unknown, { id, revision, cancellation, requestId, log }: Exchange): Answered {
  if (!(error instanceof McpError)) log.error({ err: toLogged(error), requestId }, 'internal error')
  return {
    ending: toErrorEnding(error, cancellation.reason),
    answer: createErrorAnswer(error, id, revision),
    error,
  }
}

function emitEnded(
  exchange: Exchange,
  { events, catalog }: ServeRuntime,
  { ending, answer, error }: Answered,
  durationMs: number,
): void {
  events.emit({
    source: 'method',
    requestId: exchange.requestId,
    caller: exchange.caller,
    clientKey: exchange.clientKey,
    headers: exchange.headers,
    traceparent: exchange.traceparent,
    door: exchange.door,
    method: exchange.method,
    params: exchange.params,
    target: findTarget(exchange.method, exchange.params),
    labels: toLabels(exchange, catalog),
    ending,
    error,
    status: exchange.sink?.isOpen ? 200 : answer?.status,
    durationMs,
    waitedMs: exchange.ask?.waitedMs ?? 0,
    requestBytes: exchange.requestBytes,
    responseJson: answer?.json,
    log: exchange.log,
  })
}

/** Unknown names never become metric labels. */
function toLabels(exchange: Exchange, catalog: Catalog): Labels {
  const { method, revision } = exchange
  const tool = method === 'tools/call' ? findServed(exchange, catalog)?.key : undefined
  return { method: revision.methods.has(method) ? method : UNKNOWN, revision: exchange.door ?? revision.version, tool }
}

/** The served tool or prompt that the request names. */
function findServed({ method, params }: Exchange, catalog: Catalog): { readonly key: string } | undefined {
  if (method !== 'tools/call' && method !== 'prompts/get') return undefined
  const { name } = params
  return typeof name === 'string' ? METHODS.get(method)?.target?.find?.(name, catalog) : undefined
}
