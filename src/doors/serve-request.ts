// Serves a request of any door. It is a value, and need not come by HTTP.
import { emitRefused, type ServeRuntime, serve } from '../dispatch.ts'
import { ANSWER_MS, createCancelledFailure, createLateFailure } from '../legacy/server-requests.ts'
import { toErrorEnding } from '../observability/request-ended.ts'
import type { ConnectionInfo } from '../open/modern.ts'
import { type Asked, openRequest } from '../open/request.ts'
import { type KeptResult, readResult } from '../protocol/encode.ts'
import { McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { readCaller } from '../request/caller.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { Ask, Caller, Log, NotificationSink } from '../request/exchange.ts'
import type { Owners } from '../request/owners.ts'
import type { Encoded, Served } from '../request/served.ts'

/** One request as a door hands it over. */
export interface ServeRequest extends Asked {
  /** The name of the door: a label of metrics, audit and log. */
  readonly door: string
  /** The caller that the guards have verified; undefined without one. */
  readonly caller?: Caller | undefined
  /** The key for limits without a caller, such as an address. */
  readonly clientKey: string
  /** Aborts once the client has left. The request is then cancelled. */
  readonly signal?: AbortSignal | undefined
  /** Receives progress and log entries. Without it, the handler makes none. */
  readonly sink?: NotificationSink | undefined
  /** Whether the client prefers a task to waiting. RFC 7240, 4.1. */
  readonly prefersTask?: boolean | undefined
  /** For `traceparent` and the audit. */
  readonly headers?: Headers | undefined
  /** '1.1' or '2.0', for traces. */
  readonly httpVersion?: string | undefined
  /** Default: a new one. */
  readonly requestId?: string | undefined
  /** The size of the request, for the audit. */
  readonly requestBytes?: number | undefined
}

export interface DoorRuntime extends ServeRuntime {
  readonly owners: Owners
  readonly log: Log
  readonly createRequestId: () => string
}

/**
 * Finds, checks, runs and records the request. An error is an answer.
 *
 * @param toStatus the HTTP status that the door answers with
 * @returns the result in the shape of the newest revision
 * @throws TypeError for a caller without a subject or scopes
 */
export async function serveRequest(
  request: ServeRequest,
  runtime: DoorRuntime,
  toStatus: (served: Served) => number = getStatus,
): Promise<Served> {
  const connection = connect(request, runtime)
  const stop = followSignal(request.signal, connection.cancellation)
  try {
    runtime.inflight.assertOpen()
    const ask = request.ask && boundAsk(request.ask, connection.cancellation)
    const exchange = openRequest({ ...request, ask }, connection)
    return (await serve(exchange, runtime, answer => keepValue(answer, toStatus))).served
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    const { requestBytes } = connection
    const served = { kind: 'error', error } as const
    const ended = { ending: toErrorEnding(error), error, status: toStatus(served), requestBytes }
    emitRefused(runtime.events, connection, { message: request, ...ended })
    return served
  } finally {
    stop()
  }
}

const getStatus = (served: Served): number => (served.kind === 'error' ? served.error.status : 200)

/** Passes the answer on as a value. */
function keepValue(
  answer: Served<JsonObject | KeptResult>,
  toStatus: (served: Served) => number,
): Encoded & { readonly served: Served } {
  const served = answer.kind === 'result' ? { ...answer, result: readResult(answer.result) } : answer
  return { status: toStatus(served), served }
}

/** The client of a request that need not come by HTTP, and the way to answer it. */
export function connect(
  request: Omit<ServeRequest, keyof Asked>,
  { owners, inflight, log, createRequestId }: DoorRuntime,
): ConnectionInfo {
  const { clientKey, sink, door, prefersTask, headers = {}, httpVersion, requestId = createRequestId() } = request
  const caller = readCaller(request.caller)
  const owner = owners.find(caller)
  return {
    headers,
    httpVersion,
    caller,
    owner,
    clientKey: owner ?? clientKey,
    sink,
    cancellation: inflight.createCancellation(caller),
    requestId,
    requestBytes: request.requestBytes,
    prefersAsync: prefersTask,
    door,
    log,
  }
}

/**
 * Waits for an answer as long as for the client of a session, but not longer than the request lasts.
 */
function boundAsk(ask: Ask, cancellation: Cancellation): Ask {
  const bounded: Ask = async (questions, signal = cancellation.signal) => {
    const over = Promise.withResolvers<never>()
    const cancel = () => over.reject(createCancelledFailure())
    const timer = setTimeout(() => over.reject(createLateFailure()), ANSWER_MS)
    cancellation.onCancel(cancel)
    const askedMs = performance.now()
    try {
      return await Promise.race([over.promise, (async () => ask(questions, signal))()])
    } finally {
      clearTimeout(timer)
      cancellation.offCancel(cancel)
      bounded.waitedMs = (bounded.waitedMs ?? 0) + performance.now() - askedMs
    }
  }
  return bounded
}

function followSignal(signal: AbortSignal | undefined, cancellation: Cancellation): () => void {
  if (signal === undefined) return () => {}
  const cancel = () => cancellation.cancel('client-left')
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}
