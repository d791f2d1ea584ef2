// Says what to export, if a file of the tools folder exports no definitions.

import { basename } from 'node:path'
import { findDefinitionKind, type Mistake } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import { describeValue } from 'toolrack/text'
import { explainNoHandler, explainServer, findHandlerName, isClass, toToolName } from './handlers.ts'

/** Maximum number of names that are suggested. */
const MAX_NAMES = 5

type Exports = Extract<Mistake, { readonly what: 'no export' }>

/** @param exports whose default is neither a definition nor an array of them */
export const explainNoDefinitions = (exports: Exports): string =>
  Object.hasOwn(exports.exported, 'default') ? explainOther(exports) : explainMissing(exports)

function explainMissing({ exported, file, fields }: Exports): string {
  const values: unknown[] = Object.values(exported)
  const server = values.map(explainServer).find(each => each !== undefined)
  if (server !== undefined) return `has no default export; what it exports ${server}`
  const list = values.length === 1 ? findListName(exported, fields) : undefined
  const listed = findListed(exported, fields)
  if (listed === undefined && takesServer(exported))
    return 'has no default export; write export default [] if its setup adds all that it serves'
  const fix = list ?? listed ?? `${findDefault(exported, fields)}${findHelperFix(file)}`
  return `has no default export; write export default ${fix}`
}

/** For a file that exports all its tools under one name. */
function findListName(exported: object, fields: readonly string[]): string | undefined {
  const [[name, value]] = Object.entries(exported) as [[string, unknown]]
  if (Array.isArray(value)) return name
  if (!isObject(value) || isDefinition(value, fields)) return undefined
  return findDefinitionNames(value, fields).length > 0 ? `Object.values(${name})` : undefined
}

function findListed(exported: object, fields: readonly string[]): string | undefined {
  const names = findDefinitionNames(exported, fields)
  return names.length > 1 ? `[${names.join(', ')}]` : names[0]
}

const FIELDS = ['name', 'description', 'inputSchema']
const LIFECYCLE = ['setup', 'close']

/** For a file that exports the fields of a tool, or functions. */
function findDefault(exported: object, known: readonly string[]): string {
  const functions = Object.keys(exported).filter(name => !LIFECYCLE.includes(name) && isFunction(exported, name))
  const named = functions.find(name => findHandlerName({ [name]: () => {} }, known) !== undefined)
  const handler = named ?? functions[0]
  if (handler === undefined) return `defineTool({ name: '…', … })`
  const fields = FIELDS.filter(field => Object.hasOwn(exported, field))
  const name = fields.includes('name') ? [] : [`name: '${named === undefined ? toToolName(handler) : '…'}'`]
  return `{ ${[...name, ...fields, handler === 'handler' ? handler : `handler: ${handler}`].join(', ')} }`
}

function takesServer(exported: object): boolean {
  return isFunction(exported, 'setup') && (exported as { setup: () => void }).setup.length > 0
}

function isFunction(exported: object, name: string): boolean {
  const value = (exported as Record<string, unknown>)[name]
  return typeof value === 'function' && !isClass(value)
}

/** A file without tools may be a helper. An `index` is named after its folder. */
function findHelperFix(file: string): string {
  const name = basename(file)
  return name.startsWith('index.') ? '' : `; or, if it is a helper, rename it to _${name}`
}

function explainOther({ exported, fields }: Exports): string {
  const { default: value } = exported as { readonly default?: unknown }
  const start = 'has no default export that is a tool or an array of tools'
  if (isObject(value) && !isDefinitionLike(value)) {
    const names = findDefinitionNames(value, fields)
    if (names.length > 0) return `${start}, but an object of them; write export default [${names.join(', ')}]`
  }
  const explained = explainNoHandler(value, fields)
  return isObject(value) || typeof value === 'function'
    ? `${start}; what it exports ${explained}`
    : `${start}, but ${describeValue(value)}; write export default defineTool({ name: '…', … })`
}

/** Whether the value is meant as a definition, and only lacks a handler. */
const isDefinitionLike = (value: unknown): value is object =>
  isObject(value) && ['name', 'handler', 'inputSchema', 'description'].some(field => Object.hasOwn(value, field))

/** Whether the file has definitions besides its default export. */
export const hasNamedDefinitions = (exported: object, fields: readonly string[]): boolean =>
  findDefinitionNames(exported, fields).length > 0

const findDefinitionNames = (exported: object, fields: readonly string[]) =>
  Object.entries(exported)
    .filter(([, value]) => isDefinition(value, fields) || Array.isArray(value))
    .map(([name, value]) => (Array.isArray(value) ? `...${name}` : name))
    .slice(0, MAX_NAMES)

/** Also true if the handler has another name. */
const isDefinition = (value: unknown, fields: readonly string[]) =>
  findDefinitionKind(value) !== undefined || (isDefinitionLike(value) && findHandlerName(value, fields) !== undefined)
