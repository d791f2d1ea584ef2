// Exchange → the answer of its door. Finds the method, checks its params, serves it, lets the door
// encode the answer, and emits one RequestEnded.
import { sealRequestState } from './input/request-state.ts'
import { findTarget, METHODS } from './methods/index.ts'
import { DETACHED, type Method, type MethodResult, type MethodRuntime } from './methods/method.ts'
import type { Audit } from './observability/audit.ts'
import type { Labels, RequestEvents } from './observability/request-ended.ts'
import { type Ending, STREAMING, toEnding, toErrorEnding, UNKNOWN } from './observability/request-ended.ts'
import type { RequestSpan, Tracing } from './observability/tracing.ts'
import type { KeptResult } from './protocol/encode.ts'
import { McpError } from './protocol/errors.ts'
import { isObject, type JsonObject } from './protocol/messages.ts'
import type { Catalog } from './registry/catalog.ts'
import { type Answer, encodeAnswer, jitterRetryAfter } from './request/answer.ts'
import type { Exchange } from './request/exchange.ts'
import type { Inflight } from './request/inflight.ts'
import type { MaybePromise } from './request/maybe-promise.ts'
import { assertParams } from './request/params.ts'
import { openIfQuiet } from './request/quiet.ts'
import type { Encode, Encoded, Served } from './request/served.ts'
import { run, type Steps, wait } from './request/steps.ts'
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
 * @param encode turns the answer into what the door sends; the final event has its status and size
 */
export function serve<E extends Encoded | undefined>(
  exchange: Exchange,
  runtime: ServeRuntime,
  encode: Encode<E>,
): MaybePromise<E> {
  const { tracing, catalog } = runtime
  if (tracing === undefined) return answer(exchange, runtime, { encode })
  const span = tracing.startRequest(exchange, findServed(exchange, catalog)?.key)
  return span.within(() => answer(span.exchange, runtime, { encode, span }))
}

/**
 * The same as JSON-RPC in the revision of the request.
 *
 * @returns undefined if the stream carries the answer
 */
export const serveMessage = (exchange: Exchange, runtime: ServeRuntime): MaybePromise<Answer | undefined> =>
  serve(exchange, runtime, served => encodeAnswer(served, exchange, runtime.serverMeta))

interface Answering<E extends Encoded | undefined> {
  readonly encode: Encode<E>
  readonly span?: RequestSpan
}

function answer<E extends Encoded | undefined>(
  exchange: Exchange,
  runtime: ServeRuntime,
  { encode, span }: Answering<E>,
): MaybePromise<E> {
  const startedMs = performance.now()
  const { inflight } = runtime
  inflight.begin()
  const end = (answered: Answered<E>) => {
    inflight.end()
    emitEnded(exchange, runtime, answered, { span, durationMs: performance.now() - startedMs })
    return answered.encoded
  }
  const answering = run(serveEncoded(exchange, runtime, encode))
  if (!(answering instanceof Promise)) return end(answering)
  const opening = openIfQuiet(exchange.sink, inflight.timers)
  return answering.then(answered => {
    inflight.timers.clearTimeout(opening)
    return end(answered)
  })
}

/** How a request ended, and the answer that its door sends. */
interface Answered<E> {
  readonly ending: Ending
  readonly encoded: E
  readonly error?: unknown
}

interface Measured {
  readonly span: RequestSpan | undefined
  readonly durationMs: number
}

function* serveEncoded<E extends Encoded | undefined>(
  exchange: Exchange,
  runtime: ServeRuntime,
  encode: Encode<E>,
): Steps<Answered<E>> {
  try {
    const returned = yield* wait(dispatch(exchange, runtime))
    if (returned === DETACHED) return { ending: STREAMING, encoded: encode({ kind: 'detached' }, exchange) }
    const { unsent } = runtime
    if (!unsent.hasRoom(exchange.clientKey)) yield* waitForRoom(exchange, unsent)
    const encoded = encode(toServed(returned, runtime), exchange)
    if (encoded?.json !== undefined && encoded.json.length > LARGE_LENGTH) unsent.addBuilt(encoded.json.length)
    return { ending: findEnding(returned, exchange), encoded }
  } catch (error) {
    return {
      ending: toErrorEnding(error, exchange.cancellation.reason),
      encoded: refuse(error, exchange, encode),
      error,
    }
  }
}

/**
 * @returns the result in the newest revision's shape
 * @throws McpError AUDIT_UNAVAILABLE (503), METHOD_NOT_FOUND (-32601), INVALID_PARAMS (-32602), and the
 *   errors of the method
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

/** A longer answer, in characters, is counted once built, so that the next finds less room. */
const LARGE_LENGTH = 16 * 1024

// The caller encodes in the same tick: several answers wake together, and the first may take the room.
function* waitForRoom({ clientKey }: Exchange, unsent: UnsentBytes): Steps<void> {
  const untilMs = unsent.now() + MAX_ANSWER_WAIT_MS
  while (!unsent.hasRoom(clientKey)) yield* wait(unsent.wait(clientKey, untilMs))
}

/** Spec 2026-07-28: basic/patterns/mrtr, "InputRequiredResult". */
function toServed(returned: MethodResult, { seal }: Pick<ServeRuntime, 'seal'>): Served<JsonObject | KeptResult> {
  if ('questions' in returned) {
    const { questions, exchange } = returned
    const requestState = sealRequestState(seal, exchange, questions)
    return { kind: 'questions', inputRequests: questions.open, requestState }
  }
  const { result, kind: outcome = 'ok', facts, serverMeta } = returned
  return { kind: 'result', result, outcome, facts, serverMeta }
}

function findEnding(returned: MethodResult, { cancellation }: Exchange): Ending {
  const isError = 'result' in returned && 'isError' in returned.result && returned.result['isError'] === true
  return toEnding(returned.kind, isError, cancellation.reason)
}

function refuse<E extends Encoded | undefined>(error: unknown, exchange: Exchange, encode: Encode<E>): E {
  if (error instanceof McpError) return encode({ kind: 'error', error }, exchange)
  exchange.log.error({ err: toLogged(error), requestId: exchange.requestId }, 'internal error')
  return encode({ kind: 'error', error: new McpError('INTERNAL_ERROR') }, exchange)
}

function emitEnded(
  exchange: Exchange,
  { events, catalog }: ServeRuntime,
  { ending, encoded, error }: Answered<Encoded | undefined>,
  { span, durationMs }: Measured,
): void {
  events.emit({
    source: 'method',
    requestId: exchange.requestId,
    caller: exchange.caller,
    clientKey: exchange.clientKey,
    headers: exchange.headers,
    traceparent: exchange.traceparent,
    span,
    door: exchange.door,
    revision: exchange.isForeign ? undefined : exchange.revision.version,
    method: exchange.method,
    params: exchange.params,
    target: findTarget(exchange.method, exchange.params),
    labels: toLabels(exchange, catalog),
    ending,
    error,
    status: exchange.sink?.isOpen ? 200 : encoded?.status,
    durationMs,
    waitedMs: exchange.ask?.waitedMs ?? 0,
    requestBytes: exchange.requestBytes,
    responseJson: encoded?.json,
    log: exchange.log,
  })
}

interface Refused {
  /** The message as it was sent, unvalidated. */
  readonly message: unknown
  readonly ending: Ending
  readonly error?: unknown
  readonly status: number
  /** HTTP method. */
  readonly verb?: string | undefined
  readonly durationMs?: number | undefined
  readonly requestBytes: number | undefined
  readonly responseJson?: string | undefined
}

/** Emits the end of a request that no method has served. */
export function emitRefused(
  events: RequestEvents,
  connection: Pick<Exchange, 'requestId' | 'caller' | 'clientKey' | 'headers' | 'door' | 'log'>,
  { message, durationMs, responseJson, ...refused }: Refused,
): void {
  const { requestId, caller, clientKey, headers, door, log } = connection
  const { method, params } = isObject(message) ? message : {}
  events.emit({
    source: 'http',
    ...{ requestId, caller, clientKey, headers, door, log },
    method: typeof method === 'string' ? method : undefined,
    params,
    target: findTarget(method, params),
    durationMs,
    responseJson,
    ...refused,
  })
}

/** Unknown names never become metric labels. */
function toLabels(exchange: Exchange, catalog: Catalog): Labels {
  const { method, revision } = exchange
  const tool = method === 'tools/call' ? findServed(exchange, catalog)?.key : undefined
  return {
    method: revision.methods.has(method) ? method : UNKNOWN,
    revision: exchange.isForeign ? exchange.door! : revision.version,
    tool,
  }
}

/** The served tool or prompt that the request names. */
function findServed({ method, params }: Exchange, catalog: Catalog): { readonly key: string } | undefined {
  if (method !== 'tools/call' && method !== 'prompts/get') return undefined
  const { name } = params
  return typeof name === 'string' ? METHODS.get(method)?.target?.find?.(name, catalog) : undefined
}
