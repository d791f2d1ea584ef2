// Says for each keyword which value would be valid, so that a person can fix it without reading the
// schema.
import { isExact, isNumber } from '@toolrack/json-schema/exact-number'
import { isObject } from '../client/json-rpc.ts'
import { formatCount } from '../results/format.ts'
import type { Issue } from './issues.ts'
import { describeLoss } from './json-text.ts'
import { findKind, type Kind } from './kinds.ts'
import { type Document, findTypes, type Node, toArray } from './schema.ts'

type Words = (rule: never, value: unknown, node: Node) => string

const WORDS: Readonly<Record<string, Words>> = {
  type: (rule: unknown, value: unknown) => describeWrongType(toArray(rule).map(String), value),
  minimum: (rule: number) => `At least ${rule}`,
  maximum: (rule: number) => `At most ${rule}`,
  exclusiveMinimum: (rule: number) => `More than ${rule}`,
  exclusiveMaximum: (rule: number) => `Less than ${rule}`,
  multipleOf: (rule: number) => (rule === 1 ? 'A whole number' : `A multiple of ${rule}`),
  minLength: (rule: number, value: unknown) => `At least ${formatCount(rule, 'character')}${describeLength(value)}`,
  maxLength: (rule: number, value: unknown) => `At most ${formatCount(rule, 'character')}${describeLength(value)}`,
  minItems: (rule: number) => `At least ${formatCount(rule, 'item')}`,
  maxItems: (rule: number) => `At most ${formatCount(rule, 'item')}`,
  uniqueItems: () => 'Each item once only',
  contains: () => 'One item has to be of another kind',
  minProperties: (rule: number) => `At least ${formatCount(rule, 'member')}`,
  maxProperties: (rule: number) => `At most ${formatCount(rule, 'member')}`,
  pattern: (rule: string, _: unknown, node: Node) => describePattern(rule, node),
  format: (rule: string) => FORMATS[rule] ?? `In the format ${rule}`,
  enum: (rule: unknown[]) => describeChoices(rule),
  const: (rule: unknown) => `Always ${JSON.stringify(rule)}`,
  oneOf: (rule: unknown[]) => describeUnion(rule),
  anyOf: (rule: unknown[]) => describeUnion(rule),
  not: () => 'The tool rules this out',
  false: () => 'The tool does not know this: leave it out',
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'A date, such as 2026-11-01',
  time: 'A time with its zone, such as 14:30:00Z',
  'date-time': 'A date and time, such as 2026-11-01T14:30:00Z',
  duration: 'A duration, such as PT15M',
  email: 'An address, such as ada@example.org',
  uri: 'A URL, such as https://example.org',
  'uri-reference': 'A URL or a part of one, such as /orders/1',
  uuid: 'A UUID, such as 123e4567-e89b-42d3-a456-426614174000',
  ipv4: 'An address, such as 192.0.2.1',
  ipv6: 'An address, such as 2001:db8::1',
  hostname: 'A host name, such as example.org',
  regex: 'A regular expression',
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'A number, such as 100',
  integer: 'A whole number, such as 100',
  boolean: 'true or false',
  array: 'A list',
  object: 'An object',
  null: 'null',
}

/** The request of a field whose value is missing. */
const MISSING: Readonly<Partial<Record<Kind, string>>> = {
  choice: 'Choose one',
  shapes: 'Choose one',
  boolean: 'Choose on or off',
  date: 'Choose a date',
  time: 'Choose a time',
  file: 'Choose a file',
  choices: 'Choose at least one',
  list: 'Add an item, or leave the list empty',
  object: 'Add an entry, or leave it empty',
}

/** @param node the schema of the place */
export function describeIssue({ keyword, rule }: Issue, value: unknown, node: Node, document: Document): string {
  if (keyword === 'required') return describeMissing(node, document)
  const words = Object.hasOwn(WORDS, keyword) ? WORDS[keyword] : undefined
  return words?.(rule as never, value, node) ?? 'This does not fit'
}

function describeMissing(node: Node, document: Document): string {
  const kind = findKind(node, document)
  if (kind === 'number') return TYPES[findTypes(node).includes('number') ? 'number' : 'integer']!
  return MISSING[kind] ?? 'Fill this in'
}

function describeWrongType(types: readonly string[], value: unknown): string {
  const isNumeric = types.includes('number') || types.includes('integer')
  if (isNumeric && typeof value === 'string' && isNumber(value) && !isExact(value)) return describeLoss(value)
  return types.map(type => TYPES[type] ?? type).join(' or ')
}

const describeLength = (value: unknown) => (typeof value === 'string' ? `, these are ${[...value].length}` : '')

function describePattern(pattern: string, { examples }: Node): string {
  const [example] = Array.isArray(examples) ? examples : []
  return typeof example === 'string' ? `Such as ${example}` : `As the pattern says: ${pattern}`
}

const MAX_CHOICES = 6

const describeChoices = (choices: readonly unknown[]) =>
  choices.length > MAX_CHOICES ? 'One of the listed values' : `One of: ${choices.map(toText).join(', ')}`

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Names branches that differ only in one rule, a format or required members. */
function describeUnion(branches: readonly unknown[]): string {
  const rules = branches.map(branch => (isObject(branch) ? toArray(branch['required']).join(' and ') : ''))
  const hasRulesOnly = branches.every(branch => isObject(branch) && Object.keys(branch).join() === 'required')
  const formats = branches.map(branch => (isObject(branch) ? branch['format'] : undefined))
  if (formats.every(format => typeof format === 'string')) return `In the format ${formats.join(' or ')}`
  return hasRulesOnly ? `Needs ${rules.join(', or ')}` : 'Choose a shape that fits'
}
