// One exchange → its answer: the method that the revision names, its params checked, its failure made an error.
import { type Answer, errorAnswer, resultAnswer } from './answer.ts'
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
      report(exchange, served === HELD ? 'streaming' : (served.kind ?? 'ok'), startedMs)
      return answer
    },
    error => {
      const { log, requestId } = exchange
      if (!(error instanceof McpError)) log.error({ err: error, requestId }, 'internal error')
      report(exchange, error instanceof McpError ? error.reason : 'INTERNAL_ERROR', startedMs)
      return errorAnswer(error, exchange.id, exchange.revision)
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

function report({ method, params, requestId, log }: Exchange, outcome: string, startedMs: number): void {
  if (log.isLevelEnabled?.('info') === false) return
  const elapsedMs = Math.round((performance.now() - startedMs) * 10) / 10
  const name = typeof params['name'] === 'string' ? params['name'].slice(0, 128) : undefined
  log.info({ requestId, method: method.slice(0, 128), name, outcome, elapsedMs }, 'served')
}
