// Checks a state that an app has built, so that a missing store or method is reported at the start.
import { findNearestName } from '../text/nearest-name.ts'
import type { State } from './state.ts'
import type { Backend } from './store.ts'

/** The methods that each store must have. */
const METHODS = {
  sessions: ['open', 'find', 'peek', 'has', 'save', 'end'],
  events: ['begin', 'append', 'finish', 'read'],
  requestLimits: ['take', 'peek'],
  toolLimits: ['take', 'peek'],
  usedTokens: ['consumeOnce', 'release'],
  files: ['put', 'find'],
  keptResults: ['claim', 'renew', 'keep', 'release'],
  tasks: ['create', 'find', 'change', 'remove', 'list', 'onChange'],
  taskQueue: ['add', 'remove', 'onTask', 'pause'],
  replicas: ['publish', 'subscribe'],
  versions: ['publishListChange', 'publishResourceUpdate', 'subscribe'],
  secret: ['follow'],
} as const satisfies { [K in keyof State]: readonly (keyof State[K])[] }

const OF_BACKENDS = ['start', 'problems', 'close', 'setCredentials'] as const satisfies readonly (keyof Backend)[]

/**
 * Finds a missing store or method of a state.
 * @returns the problem of the value as a `State`, if there is one
 */
export function findStateProblem(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null) return 'expected an object of stores, such as memory()'
  const stores = state as Record<string, unknown>
  for (const name of Object.keys(stores)) {
    if (Object.hasOwn(METHODS, name)) continue
    const meant = findNearestName(name, Object.keys(METHODS))
    return `${name} is unknown${meant === undefined ? '' : `; did you mean ${meant}?`}`
  }
  for (const [name, methods] of Object.entries(METHODS)) {
    const problem = findStoreProblem(stores[name], methods)
    if (problem !== undefined) return `${name} ${problem}`
  }
  return undefined
}

function findStoreProblem(store: unknown, methods: readonly string[]): string | undefined {
  if (store === undefined) return 'is missing; begin with the stores of another state, as in { ...memory(), tasks }'
  if (typeof store !== 'object' || store === null) return 'is not a store: expected an object'
  const { backend = {} } = store as { backend?: unknown }
  if (typeof backend !== 'object' || backend === null) return 'has a backend that is not an object'
  const missing = methods.filter(name => !isFunction(store, name))
  if (missing.length > 0) return `has no method ${missing.join(' and no method ')}`
  const wrong = [store, backend].flatMap(each =>
    OF_BACKENDS.filter(name => read(each, name) !== undefined && !isFunction(each, name)),
  )
  return wrong.length === 0 ? undefined : `has ${wrong[0]}, which is not a function`
}

const read = (value: object, name: string): unknown => (value as Record<string, unknown>)[name]
const isFunction = (value: object, name: string): boolean => typeof read(value, name) === 'function'
