// One exchange → its answer: the method that the revision names, its params checked, its failure made an error.
import { type Answer, errorAnswer, resultAnswer } from './answer.ts'
import { type Ending, endingOf, endingOfError, STREAMING } from './audit/outcome.ts'
import { chain, type Eventually } from './chain.ts'
import type { Exchange } from './exchange.ts'
import { METHODS } from './methods/index.ts'
import { HELD, type Method, Serialised, type Served, type Services } from './methods/method.ts'
import { McpError } from './protocol/errors.ts'
import { compile, type Validator } from './validator.ts'

/**
 * Never throws: what goes wrong is an answer too.
 *
 * @returns undefined where a method holds the stream and will answer on it
 */
export function dispatch(exchange: Exchange, services: Services): Eventually<Answer | undefined> {
  const startedMs = performance.now()
  return chain(
    () => serve(exchange, services),
    served => {
      const answer = served === HELD ? undefined : resultAnswer(exchange.id, serialise(served, exchange, services))
      const outcome = served === HELD ? 'streaming' : (served.kind ?? 'ok')
      const ending = served === HELD ? STREAMING : endingOfServed(served, exchange)
      report(exchange, services, { outcome, ending, answer, startedMs })
      return answer
    },
    error => {
      const { log, requestId } = exchange
      if (!(error instanceof McpError)) log.error({ err: error, requestId }, 'internal error')
      const answer = errorAnswer(error, exchange.id, exchange.revision)
      const outcome = error instanceof McpError ? error.reason : 'INTERNAL_ERROR'
      const ending = endingOfError(error, exchange.cancellation.reason)
      report(exchange, services, { outcome, ending, answer, startedMs })
      return answer
    },
  )
}

function serve(exchange: Exchange, services: Services): Eventually<Served | typeof HELD> {
  const method = methodOf(exchange, services)
  checkParams(method, exchange)
  return method.serve(exchange, services) as Eventually<Served | typeof HELD>
}

function methodOf({ method, revision }: Exchange, { catalog }: Services): Method {
  const found = revision.methods.has(method) ? METHODS.get(method) : undefined
  if (found === undefined || found.isOffered?.(catalog) === false) throw new McpError('METHOD_NOT_FOUND', method)
  return found
}

const validators = new WeakMap<Method, Validator>()

function checkParams(method: Method, { params }: Exchange): void {
  let validator = validators.get(method)
  // Compiled when first needed, so that a cold start pays for no method that nobody calls.
  if (validator === undefined) validators.set(method, (validator = compile(method.params)))
  if (validator.isValid(params)) return
  const faults = validator.faults(params, 3).map(({ path, expected }) => `${path} ${expected}`)
  throw new McpError('INVALID_PARAMS', faults.join('; '))
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

interface Report {
  readonly outcome: string
  readonly ending: Ending
  readonly answer: Answer | undefined
  readonly startedMs: number
}

function report(exchange: Exchange, { audit }: Services, { outcome, ending, answer, startedMs }: Report): void {
  const { method, params, requestId, log } = exchange
  const durationMs = performance.now() - startedMs
  if (audit.isOn) {
    audit.write({
      requestId,
      caller: exchange.caller,
      clientKey: exchange.clientKey,
      headers: exchange.headers,
      method,
      params,
      ending,
      status: answer?.status,
      durationMs,
      requestBytes: exchange.requestBytes,
      responseBytes: answer && Buffer.byteLength(answer.json),
    })
  }
  if (log.isLevelEnabled?.(audit.noteLevel) === false) return
  const elapsedMs = Math.round(durationMs * 10) / 10
  const name = typeof params['name'] === 'string' ? params['name'].slice(0, 128) : undefined
  log[audit.noteLevel]({ requestId, method: method.slice(0, 128), name, outcome, elapsedMs }, 'served')
}
