// The rules that a file of a tools folder exports, such as `onCall` and `visible`: `_hooks.ts` for
// all tools, a tool file for its own. A rule may be the only protection of a tool. So a slip is
// refused, not ignored.
import type { ToolHooks } from 'toolrack'
import {
  type CatalogEntry,
  type DefinitionKind,
  findDefinitionKind,
  isSource,
  RegistrationError,
  RULE_NAMES,
  RULES,
  type Sees,
} from 'toolrack/definitions'
import { describeValue, findNearestName } from 'toolrack/text'

type RuleName = keyof ToolHooks

/** How many letters of each name may be wrong; shorter names are similar to too many others. */
const MAX_TYPOS: Readonly<Record<RuleName, number>> = {
  onCall: 1,
  visible: 2,
  onGetPrompt: 2,
  visiblePrompt: 2,
  onReadResource: 2,
  visibleResource: 2,
}

const SHAPES = 'export function onCall(call, next), or visible(tool, caller), or those of prompts and resources'

/** @returns the exported rules @throws Error if one is not a function */
export function readRules(exported: object): ToolHooks {
  const rules = RULES.map(name => [name, (exported as ToolHooks)[name]] as const)
  const given = rules.filter(([, rule]) => rule !== undefined)
  for (const [name, rule] of given) {
    if (typeof rule !== 'function') throw new Error(`${name} must be a function, not ${describeValue(rule)}; ${SHAPES}`)
  }
  return Object.fromEntries(given)
}

/**
 * Reads the rules of a tool file.
 *
 * @throws Error if a rule is not a function, or has no effect in the file, or a function is named
 *   almost like a rule
 */
export function readRulesOfTools(exported: object, definitions: readonly unknown[]): ToolHooks {
  const used = new Set(definitions.flatMap(each => (typeof each === 'object' && each ? Object.values(each) : [])))
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value !== 'function' || used.has(value) || name in MAX_TYPOS) continue
    const meant = RULES.find(rule => findNearestName(name, [rule], MAX_TYPOS[rule]) !== undefined)
    if (meant === undefined) continue
    throw new Error(`exports ${name}, which nothing calls; did you mean ${meant}? If not, give it another name`)
  }
  const rules = readRules(exported)
  // `setup` or a source may add the definitions that they are for.
  if ('setup' in exported || definitions.some(isSource)) return rules
  for (const kind of ['prompt', 'resource'] as const) {
    const name = findRulesOf(kind, rules)[0]
    if (name !== undefined && !definitions.some(each => findDefinitionKind(each) === kind))
      throw new Error(`exports ${name}, and has no ${kind}; put it into _hooks.ts, which holds for all`)
  }
  return rules
}

const ROLES = ['around', 'visible'] as const
const findRulesOf = (kind: DefinitionKind, rules: ToolHooks): readonly RuleName[] =>
  ROLES.map(role => RULE_NAMES[kind][role]).filter(name => rules[name] !== undefined)

/**
 * Puts the rules of a file around those of its entry.
 *
 * @throws RegistrationError for a resource or a prompt, if the file has only rules for tools
 */
export function withRules(entry: CatalogEntry, rules: ToolHooks): CatalogEntry {
  assertMeant(entry, rules)
  const { around, visible } = RULE_NAMES[entry.kind]
  const own: Readonly<Record<string, unknown>> = { ...entry }
  const [hook, rule] = [rules[around], rules[visible]]
  if (hook === undefined && rule === undefined) return entry
  const sees = [rule, entry.visible].filter(each => each !== undefined) as Sees[]
  return Object.freeze({
    ...entry,
    [around]: hook === undefined ? own[around] : [hook, ...(own[around] as readonly unknown[])],
    visible: sees.length > 1 ? everyRule(sees) : sees[0],
  }) as CatalogEntry
}

// A rule for tools may be meant for all definitions of its file, and be the only protection of a
// prompt.
function assertMeant({ kind, key }: CatalogEntry, rules: ToolHooks): void {
  if (kind === 'tool') return
  const alone = ROLES.filter(role => rules[RULE_NAMES.tool[role]] && !rules[RULE_NAMES[kind][role]])
  if (alone.length === 0) return
  const list = (of: DefinitionKind) => alone.map(role => RULE_NAMES[of][role]).join(' and ')
  const text = `${list('tool')} of its file: for tools only; export ${list(kind)} beside, or put it into another file`
  throw new RegistrationError(kind, key, text)
}

/** Returns `true` if all answer `true`, else the first other answer. */
const everyRule =
  (rules: readonly Sees[]): Sees =>
  (...asked) => {
    for (const rule of rules) {
      const answer = rule(...asked)
      if (answer !== true) return answer
    }
    return true
  }

const EXPORTS: readonly string[] = [...RULES, 'setup', 'close']

/** Reads the rules of `_hooks.ts`. @throws Error if one is in the wrong place, or is not a function */
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
