// Says what to write instead of a value that is meant as a definition but has no handler of its own.
import { isObject } from 'toolrack/protocol'
import { describeValue } from 'toolrack/text'
import { findMeantField } from './field-names.ts'
import { HANDLER_FIX } from './fields.ts'

/** @param fields the fields of a tool */
export function explainNoHandler(definition: unknown, fields: readonly string[]): string {
  if (typeof definition === 'function') return explainFunction(definition)
  if (Array.isArray(definition)) return 'is an array; spread it: [...tools]'
  if (!isObject(definition)) return `is ${describeValue(definition)}; write { name: 'get_order', handler: () => '…' }`
  if (definition instanceof Promise) return 'is a promise; put await before it'
  const server = explainServer(definition)
  if (server !== undefined) return server
  const { handler } = definition
  if (handler !== undefined) return `has no function as its handler, but ${describeValue(handler)}; ${HANDLER_FIX}`
  const method = HANDLER_METHODS.find(each => isInherited(definition, each))
  if (method !== undefined) return explainInstance(definition, method)
  const other = findHandlerName(definition, fields)
  return other === undefined ? `has no handler; ${HANDLER_FIX}` : `has no handler; rename ${other} to handler`
}

/** The member with the handler, under a name that other frameworks use. */
export const findHandlerName = (definition: object, fields: readonly string[]): string | undefined =>
  Object.entries(definition).find(
    ([name, value]) => typeof value === 'function' && findMeantField('tool', name, fields) === 'handler',
  )?.[0]

/** Names of the handler in classes of other frameworks. */
const HANDLER_METHODS = ['handler', 'invoke', 'execute', 'run', 'call', '_call', 'callback', 'func']

const isInherited = (value: object, name: string) =>
  !Object.hasOwn(value, name) && typeof (value as Record<string, unknown>)[name] === 'function'

function explainInstance(value: object, method: string): string {
  const { name } = value as { name?: unknown }
  const toolName = typeof name === 'string' ? name : '…'
  const source = value.constructor?.name || 'object'
  return `has no handler; write { name: '${toolName}', …, handler: args => it.${method}(args) }, where it is this ${source}`
}

/** Names of the method that adds a tool to a server of another package. */
const ADDING_METHODS = ['registerTool', 'addTool', 'tool']
const ADDS_TOOLS = /\.(registerTool|addTool|tool)\(/

/**
 * @returns undefined unless the value is a server of another package, or a function that adds tools
 *   to one
 */
export function explainServer(value: unknown): string | undefined {
  const fix = (way: string) => `export a defineTool({ … }) for each ${way} instead, see docs/guides/migrating.md`
  if (typeof value === 'function') {
    const way = ADDS_TOOLS.exec(readSource(value))?.[1]
    return way && `is a function that adds tools to a server; ${fix(way)}`
  }
  if (!isObject(value)) return undefined
  const way = ADDING_METHODS.find(each => isInherited(value, each))
  const isServer = way !== undefined || isInherited(value, 'setRequestHandler')
  return isServer ? `is a server (${value.constructor.name}); ${fix(way ?? 'of its tools')}` : undefined
}

export const isClass = (value: object) => /^class\b/.test(readSource(value))

const readSource = (value: object) => Function.prototype.toString.call(value)

function explainFunction(value: object): string {
  const { name: given, length } = value as { name: string; length: number }
  const name = given === 'default' ? '' : given
  if (isClass(value)) return explainClass(value, name)
  const server = explainServer(value)
  if (server !== undefined) return server
  const fix = `is a function; write { name: '${name === '' ? '…' : toToolName(name)}', handler: ${name || '…'} }`
  const makesTools = length === 0 || MAKER.test(name)
  return makesTools ? `${fix}; or call it, if it makes the tool: export default ${toCall(value, name)}` : fix
}

function explainClass(value: object, name: string): string {
  const { prototype } = value as { prototype: object }
  const method = HANDLER_METHODS.find(each => Object.hasOwn(prototype, each)) ?? 'run'
  return `is a class; write an object: { name: '…', handler: args => new ${name || '…'}().${method}(args) }`
}

function toCall(value: object, name: string): string {
  const [before, start] = value.constructor.name === 'AsyncFunction' ? ['await ', 'async '] : ['', '']
  return `${before}${name === '' ? `(${start}() => …)` : name}()`
}

const MAKER = /^(?:create|make|build|define)(?![a-z])|Tools?$/

export const toToolName = (name: string) => name.replace(/(?<=[a-z0-9])[A-Z]/g, letter => `_${letter}`).toLowerCase()

/** @param definition whose handler comes from its class or prototype */
export function fixInherited(definition: object): string {
  const { name } = definition.constructor ?? {}
  const source = name === undefined || name === 'Object' ? 'tool' : `new ${name}()`
  return `write const it = ${source}, and { name: '…', handler: (args, ctx) => it.handler(args, ctx) }`
}
