// The settings of a program: typed options in groups, by the paths of the table. The flat names of
// options that are in groups now (`rateLimitMax`) still count, with a warning of Node.
import { deprecate } from 'node:util'
import { isPlainObject } from '../registry/plain-object.ts'
import { findNearestName } from '../text/nearest-name.ts'
import type { HostKind } from './doors.ts'
import { type SettingRow, toKey } from './setting-row.ts'
import { ConfigError, optionName, readSettings, SETTINGS, type Settings } from './settings.ts'

type Row = SettingRow<unknown, unknown>

const ROWS: ReadonlyMap<string, Row> = new Map(Object.values(SETTINGS).map((row: Row) => [row.option, row]))
/** `rateLimitMax` → `RATE_LIMIT_MAX`. */
const NAMES: ReadonlyMap<string, string> = new Map(Object.keys(SETTINGS).map(name => [toKey(name), name]))
const GROUPS: ReadonlySet<string> = new Set(
  [...ROWS.keys()].filter(path => path.includes('.')).map(path => path.split('.', 1)[0]!),
)

/** Options of Fastify that programs write in place of ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['prefix', 'mcpPath'],
  ['bodyLimit', 'limits.maxBodyBytes'],
])

export interface OptionContext extends HostKind {
  /** The names of options beside settings, for "did you mean". */
  readonly others?: readonly string[]
}

/** @throws ConfigError naming the option: of a wrong type, unknown, given twice, or of a server only */
export function readOptions(
  options: Readonly<Record<string, unknown>>,
  { isPlugin, others = [] }: OptionContext = { isPlugin: false },
): Settings {
  const given = collectGiven(options, others)
  const ofServer = isPlugin ? [...given.keys()].find(path => ROWS.get(path)!.isOfServer === true) : undefined
  if (ofServer !== undefined) throw createServerOnlyError(ofServer)
  return readSettings((_name, { option, type }) => {
    const value = given.get(option)
    if (value === undefined) return undefined
    try {
      return type.read(value)
    } catch (error) {
      throw new Error(`${(error as Error).message}${isTextOf(type, value) ? ', not its text' : ''}`)
    }
  }, optionName)
}

/** Whether the environment could have the value. */
function isTextOf(type: Row['type'], value: unknown): boolean {
  try {
    return typeof value === 'string' && type.parse(value) !== undefined
  } catch {
    return false
  }
}

/** Members of a class instance would be overlooked. @throws ConfigError */
export function assertPlain(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !isPlainObject(value))
    throw new ConfigError(`${name}: expected a plain object`)
}

export const createServerOnlyError = (path: string): ConfigError =>
  new ConfigError(`${path}: belongs to createServer; a plugin is served by its app, which decides it`)

/** The values that are set, by path. */
function collectGiven(
  options: Readonly<Record<string, unknown>>,
  others: readonly string[],
): ReadonlyMap<string, unknown> {
  const given = new Map<string, unknown>()
  const flat = new Map<string, unknown>()
  for (const [name, value] of Object.entries(options)) {
    if (!isKnown(name)) throw createUnknownError(name, others)
    if (value === undefined) continue
    if (GROUPS.has(name) && typeof value === 'object' && value !== null && isPlainObject(value))
      for (const [path, part] of listMembers(name, value)) given.set(path, part)
    else if (ROWS.has(name)) given.set(name, value)
    else if (NAMES.has(name)) flat.set(name, value)
    else assertPlain(name, value)
  }
  for (const [name, value] of flat) setFlat(given, name, value)
  return given
}

/** A dot is in the path of a member, and no option has one in its name. */
const isKnown = (name: string): boolean =>
  (ROWS.has(name) && !name.includes('.')) || GROUPS.has(name) || NAMES.has(name)

function listMembers(group: string, members: object): readonly [path: string, value: unknown][] {
  const all = Object.entries(members).map(([member, value]) => [`${group}.${member}`, value] as [string, unknown])
  const unknown = all.find(([path]) => !ROWS.has(path))
  if (unknown !== undefined) throw createMemberError(unknown[0])
  return all.filter(([, value]) => value !== undefined)
}

function setFlat(given: Map<string, unknown>, name: string, value: unknown): void {
  const path = optionName(NAMES.get(name)!)
  if (given.has(path)) throw new ConfigError(`${name}: expected either it or ${path}, not both`)
  warnOfFlatName(name, path)
  given.set(path, value)
}

/** Node shows each code once in a process. */
export function warnOfFlatName(name: string, path: string): void {
  const code = NAMES.get(name) ?? name.replace(/[A-Z]/g, '_$&').toUpperCase()
  deprecate(() => {}, `${name} is now ${toWritten(path)}`, `TOOLRACK_DEP_${code}`)()
}

/** `rateLimit.max` → `rateLimit: { max }`. */
function toWritten(path: string): string {
  const [group, member] = path.split('.')
  return member === undefined ? path : `${group}: { ${member} }`
}

const createNoSuchError = (path: string, hint: string | undefined) =>
  new ConfigError(`${path}: no such option${hint === undefined ? '' : `; ${hint}`}`)

function createUnknownError(name: string, others: readonly string[]): ConfigError {
  if (ROWS.has(name)) return createNoSuchError(name, `write ${toWritten(name)}`)
  const meant = ALIASES.get(name) ?? findMember(name) ?? findNearest(name, [...ROWS.keys(), ...GROUPS, ...others])
  return createNoSuchError(name, meant && `did you mean ${meant}?`)
}

/** Somebody may have the right member without its group. */
function findMember(name: string): string | undefined {
  const paths = [...ROWS.keys()].filter(path => path.endsWith(`.${name}`))
  return paths.length === 1 ? paths[0] : undefined
}

function createMemberError(path: string): ConfigError {
  const [group, member] = path.split('.', 2) as [string, string]
  const members = [...ROWS.keys()].filter(each => each.startsWith(`${group}.`))
  const flat = optionName(NAMES.get(member) ?? '')
  const meant = members.includes(flat) ? flat : findNearest(path, members)
  const all = members.map(each => each.slice(group.length + 1)).join(', ')
  return createNoSuchError(path, meant === undefined ? `${group} has ${all}` : `did you mean ${meant}?`)
}

/** @returns a path; somebody may have written the name of the variable, or the flat name */
function findNearest(name: string, paths: readonly string[]): string | undefined {
  const known = new Map(paths.map(path => [path, path]))
  for (const [flat, variable] of NAMES) if (known.has(optionName(variable))) known.set(flat, optionName(variable))
  return known.get(findNearestName(name, known.keys()) ?? '')
}
