// The rules that a file of a tools folder exports, `onCall` and `visible`: `_hooks.ts` for all tools,
// a tool file for its own. A rule may be all that protects a tool, so a slip is refused, not ignored.
import { findNearestName } from '../../text/nearest-name.ts'
import type { CatalogEntry } from '../catalog.ts'
import { RegistrationError } from '../definition.ts'
import { describeValue } from '../definition-fixes.ts'
import type { ToolHooks, Visible } from '../hooks.ts'
import type { Tool } from '../tool.ts'

export const RULES = ['onCall', 'visible'] as const

/** How many letters of each may be wrong; a shorter name resembles too many others. */
const MAX_TYPOS: Readonly<Record<(typeof RULES)[number], number>> = { onCall: 1, visible: 2 }

const SHAPES = 'export function onCall(call, next), or visible(tool, caller)'

/** @returns those that are exported @throws Error if one is not a function */
export function readRules(exported: object): ToolHooks {
  const { onCall, visible } = exported as ToolHooks
  for (const [name, rule] of Object.entries({ onCall, visible })) {
    if (rule !== undefined && typeof rule !== 'function')
      throw new Error(`${name} must be a function, not ${describeValue(rule)}; ${SHAPES}`)
  }
  return { ...(onCall && { onCall }), ...(visible && { visible }) }
}

/**
 * Reads the rules of a tool file.
 *
 * @throws Error if one is not a function, or a function has the name of a rule but for a slip
 */
export function readRulesOfTools(exported: object, definitions: readonly unknown[]): ToolHooks {
  const used = new Set(definitions.flatMap(each => (typeof each === 'object' && each ? Object.values(each) : [])))
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value !== 'function' || used.has(value) || name in MAX_TYPOS) continue
    const meant = RULES.find(rule => findNearestName(name, [rule], MAX_TYPOS[rule]) !== undefined)
    if (meant === undefined) continue
    throw new Error(`exports ${name}, which nothing calls; did you mean ${meant}? If not, give it another name`)
  }
  return readRules(exported)
}

/**
 * Puts the rules of a file around those of its tool.
 *
 * @throws RegistrationError for a resource or a prompt, which the rules cannot protect
 */
export function withRules(entry: CatalogEntry, { onCall, visible }: ToolHooks): CatalogEntry {
  if (onCall === undefined && visible === undefined) return entry
  if (entry.kind !== 'tool') {
    const names = [onCall && 'onCall', visible && 'visible'].filter(Boolean).join(' and ')
    const text = `${names} of its file hold for tools only; put it into another file`
    throw new RegistrationError(entry.kind, entry.key, text)
  }
  const rules = [visible, entry.visible].filter(rule => rule !== undefined)
  return Object.freeze({
    ...entry,
    onCall: onCall === undefined ? entry.onCall : [onCall, ...entry.onCall],
    visible: rules.length > 1 ? everyRule(rules) : rules[0],
  } satisfies Tool)
}

/** An answer other than `true` is that of all. */
const everyRule =
  (rules: readonly Visible[]): Visible =>
  (...asked) => {
    for (const rule of rules) {
      const answer = rule(...asked)
      if (answer !== true) return answer
    }
    return true
  }

const EXPORTS = [...RULES, 'setup', 'close']

/** Reads the rules of `_hooks.ts`. @throws Error if one is not where it counts, or is not a function */
export function readHooks(exported: { readonly default?: unknown }): ToolHooks {
  const hooks = readRules(exported)
  if (exported.default !== undefined)
    throw new Error('has a default export, which is not read: write export const visible = …, or onCall')
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value === 'function' && !EXPORTS.includes(name)) throw new Error(explainUnknown(name))
  }
  if (Object.keys(hooks).length === 0) throw new Error(`exports no hook: ${SHAPES}`)
  return hooks
}

function explainUnknown(name: string): string {
  const nearest = findNearestName(name, EXPORTS)
  const fix = nearest === undefined ? 'put it into another file' : `did you mean ${nearest}?`
  return `exports ${name}, which is none of ${EXPORTS.join(', ')}; ${fix}`
}
