// Says what to export, if a file of the tools folder exports no definition.
import { isObject } from '../../protocol/messages.ts'
import { findDefinitionKind } from '../definition.ts'
import { describeValue, explainNoHandler } from '../definition-fixes.ts'
import { TOOL_FIELDS } from '../tool.ts'
import type { Exported } from './load.ts'

/** Names that are suggested; the rest are omitted. */
const MAX_NAMES = 5

/** @param exported without a definition or an array as its default */
export function explainNoDefinitions(exported: Exported): string {
  return Object.hasOwn(exported, 'default') ? explainOther(exported.default) : explainMissing(exported)
}

function explainMissing(exported: object): string {
  const names = findDefinitionNames(exported)
  if (names.length === 0) return `has no default export; write export default defineTool({ name: '…', … })`
  return `has no default export; write export default ${names.length === 1 ? names[0] : `[${names.join(', ')}]`}`
}

function explainOther(value: unknown): string {
  const start = 'has no default export that is a tool or an array of tools'
  if (isObject(value) && !isDefinitionLike(value)) {
    const names = findDefinitionNames(value)
    if (names.length > 0) return `${start}, but an object of them; write export default [${names.join(', ')}]`
  }
  const explained = explainNoHandler(value, TOOL_FIELDS)
  return isObject(value) || typeof value === 'function'
    ? `${start}; what it exports ${explained}`
    : `${start}, but ${describeValue(value)}; write export default defineTool({ name: '…', … })`
}

/** Whether the value is meant as a definition, and only lacks what makes it one. */
const isDefinitionLike = (value: unknown): value is object =>
  isObject(value) && ['name', 'handler', 'inputSchema', 'description'].some(field => Object.hasOwn(value, field))

const findDefinitionNames = (exported: object) =>
  Object.entries(exported)
    .filter(([, value]) => findDefinitionKind(value) !== undefined || Array.isArray(value))
    .map(([name, value]) => (Array.isArray(value) ? `...${name}` : name))
    .slice(0, MAX_NAMES)
