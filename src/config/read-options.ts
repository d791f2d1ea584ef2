// The settings of a program: typed options in groups, by the paths of the table. The flat names of
// options that are in groups now (`rateLimitMax`) still count, with a warning of Node.
import { deprecate } from 'node:util'
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

/** @throws ConfigError naming the option: of a wrong type, unknown, given twice, or of a server only */
export function readOptions(
  options: Readonly<Record<string, unknown>>,
  { isPlugin }: HostKind = { isPlugin: false },
): Settings {
  const given = collectGiven(options)
  const ofServer = isPlugin && [...given.keys()].find(path => ROWS.get(path)!.isOfServer === true)
  if (ofServer)
    throw new ConfigError(`${ofServer}: belongs to createServer; a plugin is served by its app, which decides it`)
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

/** What is set, by path. */
function collectGiven(options: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const given = new Map<string, unknown>()
  const flat = new Map<string, unknown>()
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) {
      assertKnown(name)
    } else if (GROUPS.has(name) && isMembers(value)) {
      for (const [member, part] of Object.entries(value)) {
        const path = `${name}.${member}`
        if (!ROWS.has(path)) throw createUnknownError(path)
        if (part !== undefined) given.set(path, part)
      }
    } else if (ROWS.has(name)) given.set(name, value)
    else if (NAMES.has(name)) flat.set(name, value)
    else throw GROUPS.has(name) ? new ConfigError(`${name}: expected an object`) : createUnknownError(name)
  }
  for (const [name, value] of flat) setFlat(given, name, value)
  return given
}

function assertKnown(name: string): void {
  if (!ROWS.has(name) && !GROUPS.has(name) && !NAMES.has(name)) throw createUnknownError(name)
}

const isMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function setFlat(given: Map<string, unknown>, name: string, value: unknown): void {
  const path = optionName(NAMES.get(name)!)
  if (given.has(path)) throw new ConfigError(`${name}: expected either it or ${path}, not both`)
  warnOfFlatName(name, path)
  given.set(path, value)
}

/** Node shows each code once in a process. */
function warnOfFlatName(name: string, path: string): void {
  const [group, member] = path.split('.')
  const instead = member === undefined ? path : `${group}: { ${member} }`
  deprecate(() => {}, `${name} is now ${instead}`, `TOOLRACK_DEP_${NAMES.get(name)}`)()
}

function createUnknownError(path: string): ConfigError {
  const meant = findMeant(path)
  return new ConfigError(`${path}: no such option${meant === undefined ? '' : `; did you mean ${meant}?`}`)
}

/** Somebody may have the right member without its group, or the name of the variable. */
function findMeant(path: string): string | undefined {
  const paths = [...ROWS.keys()]
  const member = path.split('.').at(-1)!
  const inGroups = paths.filter(each => each.endsWith(`.${member}`))
  if (inGroups.length === 1) return inGroups[0]
  const known = new Map([...paths, ...GROUPS].map(each => [each, each]))
  for (const [flat, name] of NAMES) known.set(flat, optionName(name))
  return known.get(findNearestName(path, known.keys()) ?? '')
}
