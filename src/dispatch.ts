// One exchange → its answer: the method that the revision names, its params checked, its failure made an error.
import { type Answer, errorAnswer, resultAnswer } from './answer.ts'
import { type Ending, endingOf, endingOfError, labelOf, STREAMING } from './audit/outcome.ts'
import { chain, type Eventually } from './chain.ts'
import type { Exchange } from './exchange.ts'
import { METHODS } from './methods/index.ts'
import { HELD, type Method, Serialised, type Served, type Services } from './methods/method.ts'
import { UNKNOWN } from './metrics/metrics.ts'
import { assertParams } from './params.ts'
import { McpError } from './protocol/errors.ts'
import { countWaits, noteSlow } from './slow-calls.ts'
import type { RequestSpan } from './tracing/tracing.ts'
import { MAX_WAIT_MS } from './unsent-bytes.ts'

/**
 * Never throws: what goes wrong is an answer too.
 *
 * @returns undefined where a method holds the stream and will answer on it
 */
export function dispatch(exchange: Exchange, services: Services): Eventually<Answer | undefined> {
  const { tracing } = services
  if (tracing === undefined) return answer(exchange, services, undefined)
  const span = tracing.begin(exchange, targetOf(exchange, services))
  return span.within(() => answer(span.exchange, services, span))
}

function answer(asked: Exchange, services: Services, span: RequestSpan | undefined): Eventually<Answer | undefined> {
  const { exchange, waitedMs } = countWaits(asked)
  const startedMs = performance.now()
  const timed: Timed = { startedMs, waitedMs, span }
  return chain(
    () => serve(exchange, services),
    served => (served === HELD ? held(exchange, services, timed) : write(exchange, services, served, timed)),
    error => {
      const { log, requestId } = exchange
      if (!(error instanceof McpError)) log.error({ err: error, requestId }, 'internal error')
      const answer = errorAnswer(error, exchange.id, exchange.revision)
      const outcome = error instanceof McpError ? error.reason : 'INTERNAL_ERROR'
      const ending = endingOfError(error, exchange.cancellation.reason)
      report(exchange, services, { outcome, ending, answer, ...timed, error })
      return answer
    },
  )
}

interface Timed {
  readonly startedMs: number
  waitedMs(): number
  readonly span: RequestSpan | undefined
  /** Until when its answer may wait for room; undefined where it has not had to. */
  untilMs?: number
}

function held(exchange: Exchange, services: Services, timed: Timed): undefined {
  report(exchange, services, { outcome: 'streaming', ending: STREAMING, answer: undefined, ...timed })
}

/** More than a plain call answers; so much at once has to be known of before the next answer is written. */
const LARGE_LENGTH = 16 * 1024

/** As text, where there is room for it: many that end in the same turn would else all be text before the first is sent. */
function write(exchange: Exchange, services: Services, served: Served, timed: Timed): Eventually<Answer> {
  const { unsent } = services
  if (!unsent.hasRoom(exchange.clientKey)) {
    timed.untilMs ??= unsent.now() + MAX_WAIT_MS
    return unsent.wait(exchange.clientKey, timed.untilMs).then(() => write(exchange, services, served, timed))
  }
  const answer = resultAnswer(exchange.id, serialise(served, exchange, services))
  if (answer.json.length > LARGE_LENGTH) unsent.built(answer.json.length)
  const ending = endingOfServed(served, exchange)
  report(exchange, services, { outcome: served.kind ?? 'ok', ending, answer, ...timed })
  return answer
}

function serve(exchange: Exchange, services: Services): Eventually<Served | typeof HELD> {
  services.unsent.assertRoom(exchange.clientKey)
  const method = methodOf(exchange, services)
  method.assertAllowed?.(exchange)
  assertParams(method.params, exchange.params)
  return method.serve(exchange, services)
}

function methodOf({ method, revision }: Exchange, { catalog }: Services): Method {
  const found = revision.methods.has(method) ? METHODS.get(method) : undefined
  if (found === undefined || found.isOffered?.(catalog) === false) throw new McpError('METHOD_NOT_FOUND', method)
  return found
}

function serialise({ result }: Served, { method, revision }: Exchange, services: Services): string {
  if (result instanceof Serialised) return result.json
  const shaped = revision.shape(method, result)
  if (!revision.namesServer) return JSON.stringify(shaped)
  const meta = shaped['_meta']
  if (meta !== undefined) return JSON.stringify({ ...shaped, _meta: { ...meta, ...services.serverMeta } })
  // That part is written once, not each time.
  return `${JSON.stringify(shaped).slice(0, -1)},"_meta":${services.serverMetaJson}}`
}

const endingOfServed = ({ kind, result }: Served, { cancellation }: Exchange): Ending =>
  endingOf(kind, !(result instanceof Serialised) && result['isError'] === true, cancellation.reason)

/** Of what clients make up, none becomes a label. */
function labelsOf(exchange: Exchange, services: Services) {
  const { method, revision } = exchange
  const tool = method === 'tools/call' ? targetOf(exchange, services) : undefined
  return { method: revision.methods.has(method) ? method : UNKNOWN, revision: revision.version, tool }
}

/** The tool or the prompt that is asked for, where it is served. */
function targetOf({ method, params }: Exchange, { catalog }: Services): string | undefined {
  const { name } = params
  if (typeof name !== 'string') return undefined
  if (method === 'tools/call') return catalog.tools.find(name)?.name
  return method === 'prompts/get' ? catalog.prompts.find(name)?.key : undefined
}

interface Report extends Timed {
  readonly outcome: string
  readonly ending: Ending
  readonly answer: Answer | undefined
  readonly error?: unknown
}

function report(
  exchange: Exchange,
  services: Services,
  { outcome, ending, answer, startedMs, waitedMs, span, error }: Report,
): void {
  const { audit, metrics, rules } = services
  const { method, params, requestId, log } = exchange
  const durationMs = performance.now() - startedMs
  metrics.served({ ...labelsOf(exchange, services), outcome: labelOf(ending), durationMs })
  span?.end({ ending, error, durationMs })
  if (audit.isOn) {
    audit.write({
      requestId,
      caller: exchange.caller,
      clientKey: exchange.clientKey,
      headers: exchange.headers,
      traceparent: exchange.traceparent,
      method,
      params,
      ending,
      status: answer?.status,
      durationMs,
      requestBytes: exchange.requestBytes,
      responseBytes: answer && Buffer.byteLength(answer.json),
    })
  }
  const tookMs = durationMs - waitedMs()
  // A call that goes on as a task has only waited for it.
  if (method === 'tools/call' && tookMs > rules.slowCallMs && outcome !== 'task') noteSlow(exchange, tookMs)
  if (log.isLevelEnabled?.(audit.noteLevel) === false) return
  const elapsedMs = Math.round(durationMs * 10) / 10
  const name = typeof params['name'] === 'string' ? params['name'].slice(0, 128) : undefined
  log[audit.noteLevel]({ requestId, method: method.slice(0, 128), name, outcome, elapsedMs }, 'served')
}
