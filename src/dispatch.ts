// One exchange → its answer: the method that the revision names, its params checked, its failure made an error.
import { type Answer, errorAnswer, resultAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { METHODS } from './methods/index.ts'
import { type Method, Serialised, type Served, type Services } from './methods/method.ts'
import { McpError } from './protocol/errors.ts'
import { compile, type Validator } from './validator.ts'

/** Never throws: what goes wrong is an answer too. */
export async function dispatch(exchange: Exchange, services: Services): Promise<Answer> {
  const startedMs = performance.now()
  try {
    const method = methodOf(exchange, services)
    checkParams(method, exchange)
    const served = await method.serve(exchange, services)
    report(exchange, served.kind ?? 'ok', startedMs)
    return resultAnswer(exchange.id, serialise(served, services))
  } catch (error) {
    if (!(error instanceof McpError))
      exchange.log.error({ err: error, requestId: exchange.requestId }, 'internal error')
    report(exchange, error instanceof McpError ? error.reason : 'INTERNAL_ERROR', startedMs)
    return errorAnswer(error, exchange.id)
  }
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

function serialise({ result }: Served, { serverMeta }: Services): string {
  if (result instanceof Serialised) return result.json
  const meta = result['_meta']
  return JSON.stringify({ ...result, _meta: meta === undefined ? serverMeta : { ...meta, ...serverMeta } })
}

function report({ method, params, requestId, log }: Exchange, outcome: string, startedMs: number): void {
  if (log.isLevelEnabled?.('info') === false) return
  const elapsedMs = Math.round((performance.now() - startedMs) * 10) / 10
  const name = typeof params['name'] === 'string' ? params['name'].slice(0, 128) : undefined
  log.info({ requestId, method: method.slice(0, 128), name, outcome, elapsedMs }, 'served')
}
