// Finds files with rules in a place where the rules have no effect. It reads their names and texts,
// before anything runs. Such a rule may be the only protection of tools, so those tools are not
// served.
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { RULES } from 'toolrack/definitions'
import { toPosix } from '../tool-roots.ts'
import type { ImportedFiles } from './static-imports.ts'
import { blankTexts, JSX_FIX } from './syntax.ts'
import { hasDefinitions } from './unserved-files.ts'

/** The name of the file with rules for all tools, at the top of a folder. */
export const HOOKS_FILE = /^_hooks\.[cm]?[jt]s$/

/** Names that probably mean that file, whatever the file contains. */
const MEANT_AS_HOOKS = /(?:^|\/)(?:_+hooks?(?:\/index)?|\.hooks?)(?:(?:\.[cm]?[jt]sx?)?(?:\.txt|\.json)?)$/i
/** Names of files that may mean it if their text mentions rules. */
const LIKE_HOOKS = /(?:^|\/)[._]*hooks?(?:\/|\.[^/]*$|$)/i
const JSX = /\.[jt]sx$/
const TEST = /\.(?:d|test|spec)\.[cm]?[jt]sx?$/

const RULE = `(?:${RULES.join('|')})\\b`
const SPEAKS_OF_RULES = new RegExp(`(?<!\\.)\\b${RULE}|\\bexport\\s*\\*`)
const EXPORTS_RULE = new RegExp(
  [
    `\\bexport\\s+(?:default\\s+)?(?:async\\s+)?(?:const|let|var|function\\s*\\*?)\\s*${RULE}`,
    `\\bexport\\s+(?:const|let|var)\\s*[{[][^}\\]]*\\b${RULE}`,
    `\\bexport\\s+(?:const|let|var)\\b[^;\\n]*,\\s*${RULE}\\s*=`,
    `\\bexport\\s*\\{[^}]*\\b${RULE}\\s*[,}]`,
    `\\bexports\\s*\\.\\s*${RULE}\\s*=`,
    `\\bmodule\\s*\\.\\s*exports\\s*=\\s*(?=\\{)[^]*?[{,]\\s*(?:async\\s+)?${RULE}\\s*[:(,}]`,
  ].join('|'),
)
const DEFAULT_IS_RULE = new RegExp(
  [
    `\\bexport\\s+default\\s+(?:async\\s+)?function\\s*\\*?\\s*${RULE}`,
    // A definition may have rules of its own.
    `\\bexport\\s+default\\s*\\{(?![^}]*\\b(?:name|description)\\b)[^}]*\\b${RULE}`,
  ].join('|'),
)
const HAS_DEFAULT = /\bexport\s+default\b|\bas\s+default\b/

/**
 * @param path relative to the tools folder
 * @returns whether the name probably means the file with rules for all
 */
export const isMeantAsHooks = (path: string): boolean => MEANT_AS_HOOKS.test(toPosix(path))

/**
 * @param path relative to the tools folder
 * @returns the rules that a file seems to have; undefined if none
 */
export function findRules(path: string, bytes: Buffer): readonly string[] | undefined {
  const name = toPosix(path)
  if (TEST.test(name) || HOOKS_FILE.test(name)) return undefined
  if (MEANT_AS_HOOKS.test(name)) return []
  const isLikeHooks = LIKE_HOOKS.test(name)
  if (!isLikeHooks && !RULES.some(rule => bytes.includes(rule))) return undefined
  const code = blankTexts(bytes.toString())
  // Rules in a file with definitions hold for those. If the file is a helper, it may be switched off.
  if (hasDefinitions(code)) return undefined
  const exportsRule = DEFAULT_IS_RULE.test(code) || (EXPORTS_RULE.test(code) && !HAS_DEFAULT.test(code))
  const hasRules = isLikeHooks ? SPEAKS_OF_RULES.test(code) : exportsRule
  return hasRules ? RULES.filter(rule => new RegExp(`\\b${rule}\\b`).test(code)) : undefined
}

export interface MisplacedRules {
  readonly file: string
  readonly reason: string
  /** The tool file that the rules may be meant for; undefined if they may be meant for all. */
  readonly toolFile: string | undefined
}

export interface RulesContext {
  readonly root: string
  readonly toolFiles: readonly string[]
  /** Whether the folder has the file with rules for all tools. */
  readonly hasHooks: boolean
  /** Files that turned out, when they ran, to export nothing but rules. */
  readonly proven: readonly string[]
  /** Finds the helpers: files that tool files, and the file with rules, import. */
  findImported(): ImportedFiles
}

/** @param files with possible rules, and the names of the rules @param context of the folder */
export function findMisplacedRules(
  files: ReadonlyMap<string, readonly string[]>,
  context: RulesContext,
): readonly MisplacedRules[] {
  const beside = findBeside(context.root).map(file => [file, []] as const)
  return [...files, ...beside]
    .filter(([file]) => !isHelper(file, context))
    .map(([file, rules]) => {
      const toolFile = findIndex(file, context)
      const path = toPosix(relative(context.root, file))
      const reason = toolFile === undefined ? explainAll(path, rules, context) : explainBeside(file, toolFile)
      return { file, toolFile, reason }
    })
}

/** A file that is named like hooks is a helper only if its rules are imported. */
function isHelper(file: string, { root, proven, findImported }: RulesContext): boolean {
  if (proven.includes(file)) return false
  const { all, forRules } = findImported()
  const isCalledHooks = [MEANT_AS_HOOKS, LIKE_HOOKS].some(names => names.test(toPosix(relative(root, file))))
  return (isCalledHooks ? forRules : all).has(file)
}

const HOOKS_ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'tsx', 'jsx']

/** Rules beside the folder, which may be meant for its tools. */
const findBeside = (root: string) =>
  HOOKS_ENDINGS.map(ending => join(dirname(root), `_hooks.${ending}`)).filter(file => existsSync(file))

/** The tool file of the subfolder with this file. */
function findIndex(file: string, { root, toolFiles }: RulesContext): string | undefined {
  const [top, ...rest] = relative(root, file).split(sep)
  if (top === '..' || rest.length === 0) return undefined
  return toolFiles.find(each => each !== file && dirname(each) === join(root, top!))
}

function explainBeside(file: string, toolFile: string): string {
  const specifier = toPosix(relative(dirname(toolFile), file))
  const fix = JSX.test(specifier) ? JSX_FIX : `write export * from './${specifier}' in it`
  return `its rules in ${specifier} hold for nothing; ${fix}, or put them into _hooks.ts, which holds for all tools`
}

/** How to move rules to a place where they count, by their path in the folder. */
const MOVES: readonly [path: RegExp, fix: string][] = [
  [/^\.\.\//, 'move it into the tools folder'],
  [/^_*hooks?\/index\.|^[^/]+$/i, 'rename it to that'],
  [/./, 'move it to the top of the tools folder'],
]

function explainAll(path: string, rules: readonly string[], { hasHooks }: RulesContext): string {
  const move = hasHooks ? 'put its hooks there' : MOVES.find(([place]) => place.test(path))![1]
  return rules.length === 0
    ? `hooks are read from _hooks.ts only; ${move}, or, if it has no hooks, give it another name`
    : `exports ${rules.join(' and ')}, and hooks are read from _hooks.ts only; ${move}, or export them beside the tools that they are for`
}
