// Says beside each fault of a definition what to write instead.
import { parse as parseTime } from '@lukeed/ms'
import { isObject } from '../protocol/messages.ts'
import type { Issue } from '../schema/issues.ts'
import { type DefinitionKind, findMeantField } from './field-names.ts'
import { saysNothing } from './root-schema.ts'

interface Rule {
  readonly path: RegExp
  readonly expected: RegExp
  /** @returns undefined if the rule does not know what is meant */
  fix(value: unknown, path: string, definition: object): string | undefined
}

const SETTING = `'GITHUB_TOKEN'`
const HANDLER = `write handler: args => '…'`
const WINDOW = `{ max: 10, timeWindow: '1 minute' }`

const RULES: readonly Rule[] = [
  { path: /^name$/, expected: /required|must be string/, fix: () => `write name: 'get_order'` },
  { path: /^name$/, expected: /match|fewer|more/, fix: name => fixName(name) },
  { path: /^handler$/, expected: /required/, fix: () => HANDLER },
  { path: /^timeout$/, expected: /./, fix: timeout => fixTimeout(timeout) },
  { path: /^scopes$/, expected: /array/, fix: scopes => toList('scopes', splitWords(scopes)) },
  { path: /^scopes\.\d+$/, expected: /match/, fix: (_scope, _path, definition) => fixScopes(definition) },
  { path: /^(?:requires|settings)$/, expected: /array/, fix: (value, path) => toList(path, splitWords(value)) },
  {
    path: /^(?:requires|settings)\.\d+$/,
    expected: /./,
    fix: () => `it is the name of an environment variable, such as ${SETTING}`,
  },
  { path: /^rateLimit$/, expected: /./, fix: () => `write rateLimit: ${WINDOW}` },
  { path: /^rateLimit\.\w+$/, expected: /required/, fix: () => `write rateLimit: ${WINDOW}` },
  { path: /^task$/, expected: /./, fix: task => fixTask(task) },
  { path: /^isolate$/, expected: /./, fix: () => 'write isolate: true in a tools folder, else import.meta.url' },
  { path: /^inputSchema\.type$/, expected: /required/, fix: (_type, _path, definition) => fixNoType(definition) },
  { path: /^icons\.\d+$/, expected: /object/, fix: icon => fixIcon(icon) },
  { path: /^(?:icons|arguments)$/, expected: /array/, fix: (value, path) => fixList(value, path) },
  {
    path: /^annotations$/,
    expected: /object/,
    fix: () => 'write annotations: { readOnlyHint: true } if it changes nothing',
  },
  { path: /^(?:concurrency|size)$|\.max$/, expected: /integer/, fix: value => fixNumber(value) },
  { path: /^sanitize$|Hint$|\.required$|^idempotency$/, expected: /boolean/, fix: () => 'write true or false' },
]

/** @param fields the fields of the kind @returns undefined if the fault itself says enough */
export function findFix(
  kind: DefinitionKind,
  { path, expected }: Issue,
  definition: object,
  fields: readonly string[],
): string | undefined {
  const isUnknown = expected === 'is not a known property' && !path.includes('.')
  const value = readPath(definition, path)
  const other = isUnknown && kind === 'tool' ? findOtherKind(path, value) : undefined
  if (other !== undefined) return `put ${other}({ … }) around it`
  const meant = isUnknown ? findMeantField(kind, path, fields) : undefined
  if (meant !== undefined) return `did you mean ${meant}?`
  const rule = RULES.find(each => each.path.test(path) && each.expected.test(expected))
  return rule?.fix(value, path, definition)
}

/** The function that makes what has such a field. */
function findOtherKind(field: string, value: unknown): string | undefined {
  if (['uri', 'uriTemplate', 'mimeType'].includes(field)) return 'defineResource'
  return field === 'arguments' && Array.isArray(value) ? 'definePrompt' : undefined
}

const readPath = (definition: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key], definition)

const MAX_NAME = 64

function fixName(name: unknown): string {
  const suggested = String(name)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_NAME)
  return suggested === '' ? `write a name such as 'get_order'` : `write name: '${suggested}'`
}

function fixTimeout(timeout: unknown): string {
  const ms = typeof timeout === 'string' ? parseTime(timeout) : undefined
  if (ms !== undefined && ms >= 1) return `it is in milliseconds: write timeout: ${formatNumber(ms)}`
  if (typeof timeout === 'number' && timeout > 600_000) return 'it is in milliseconds, and 600_000 (10 min) is the most'
  return 'it is in milliseconds, such as 30_000 for 30 s'
}

/** As a program writes it: `30_000`. */
export const formatNumber = (value: number) => value.toLocaleString('en').replaceAll(',', '_')

const splitWords = (value: unknown) => (typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : [])

const toList = (field: string, words: readonly string[]) =>
  words.length > 0 ? `write ${field}: [${words.map(word => `'${word}'`).join(', ')}]` : undefined

function fixScopes({ scopes }: { scopes?: unknown }): string {
  const words = (Array.isArray(scopes) ? scopes : []).flatMap(splitWords)
  const fix = toList('scopes', words)
  return fix === undefined ? 'leave it away if the tool needs none' : `a scope has no blanks: ${fix}`
}

function fixNoType({ inputSchema }: { inputSchema?: object }): string {
  return saysNothing(inputSchema ?? {}) ? `write { type: 'object', properties: { … } }` : `add type: 'object'`
}

const fixTask = (task: unknown) => (task === true ? `write task: 'optional'` : undefined)

const fixIcon = (icon: unknown) => (typeof icon === 'string' ? `write { src: '${icon}' }` : undefined)

const fixList = (value: unknown, path: string) =>
  isObject(value) ? `put it into an array: ${path}: [{ ${Object.keys(value).slice(0, 3).join(', ')} … }]` : undefined

const fixNumber = (value: unknown) =>
  typeof value === 'string' && /^\d+$/.test(value) ? `write ${Number(value)} without quotes` : undefined

/**
 * Says what a value lacks that is meant as a definition but has no handler.
 *
 * @param fields the fields of a tool
 */
export function explainNoHandler(definition: unknown, fields: readonly string[]): string {
  if (typeof definition === 'function') return explainFunction(definition)
  if (Array.isArray(definition)) return 'is an array; spread it: [...tools]'
  if (!isObject(definition)) return `is ${describeValue(definition)}; write { name: 'get_order', handler: () => '…' }`
  if (definition instanceof Promise) return 'is a promise; put await before it'
  const { handler } = definition
  if (handler !== undefined) return `has no function as its handler, but ${describeValue(handler)}; ${HANDLER}`
  const other = Object.keys(definition).find(key => findMeantField('tool', key, fields) === 'handler')
  if (other !== undefined) return `has no handler; rename ${other} to handler`
  return `has no handler; ${HANDLER}`
}

function explainFunction(value: object): string {
  const isClass = /^class\b/.test(Function.prototype.toString.call(value))
  const { name, length } = value as { name: string; length: number }
  const member = name === '' || name === 'default' ? '…' : name
  if (isClass) return `is a class; write an object: { name: '…', handler: args => new ${member}().run(args) }`
  const fix = `is a function; write { name: '${toToolName(member)}', handler: ${member} }`
  const makesTools = length === 0 || MAKER.test(name)
  return makesTools ? `${fix}; or call it, if it makes the tool: export default ${member}()` : fix
}

const MAKER = /^(?:create|make|build|define)(?![a-z])|Tools?$/

/**
 * Says what to write in place of an object that has its handler from a class or a prototype.
 *
 * @returns undefined if it has a handler of its own, or none
 */
export function explainInherited(definition: object): string | undefined {
  if (Object.hasOwn(definition, 'handler') || !('handler' in definition)) return undefined
  const { name } = definition.constructor ?? {}
  const source = name === undefined || name === 'Object' ? 'tool' : `new ${name}()`
  return (
    `inherits its handler, and only members of its own count; ` +
    `write const it = ${source}, and { name: '…', handler: (args, ctx) => it.handler(args, ctx) }`
  )
}

const toToolName = (name: string) => name.replace(/(?<=[a-z0-9])[A-Z]/g, letter => `_${letter}`).toLowerCase()

export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
