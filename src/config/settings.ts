// The settings: one table for environment and library options, validated before the start.
import { opendirSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import type { HostKind } from './doors.ts'
import { findSecretValues, isProduction } from './environment.ts'
import {
  findAccessConflict,
  findAuditConflict,
  findClaimConflict,
  findPathConflict,
  findStateConflict,
  listOwnPaths,
} from './rules.ts'
import { joinRows, type SettingRow, type SettingsSection, toKey, type ValuesOf } from './setting-row.ts'
import { flag } from './setting-types.ts'
import { ACCESS } from './settings/access.ts'
import { DOORS } from './settings/doors.ts'
import { LIMITS } from './settings/limits.ts'
import { LISTENING } from './settings/listening.ts'
import { OBSERVABILITY } from './settings/observability.ts'
import { REPLICAS } from './settings/replicas.ts'
import { SESSIONS } from './settings/sessions.ts'
import { TOOLS } from './settings/tools.ts'
import { findExchangeConflict } from './token-exchange.ts'

/**
 * A setting or an option is wrong.
 * The message names the setting and the expected form.
 */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** As docs/reference/settings.md and the help of `toolrack start` show them. */
export const SECTIONS: readonly SettingsSection[] = [
  { title: 'Where the server listens', rows: { ...LISTENING, ...DOORS } },
  { title: 'Tools', rows: TOOLS },
  { title: 'Access control', rows: ACCESS },
  { title: 'Limits', rows: LIMITS },
  { title: 'Lists, sessions and tasks', rows: SESSIONS },
  { title: 'Replicas', rows: REPLICAS },
  { title: 'What the operator sees', rows: OBSERVABILITY },
]

export type Rows = typeof LISTENING &
  typeof DOORS &
  typeof TOOLS &
  typeof ACCESS &
  typeof LIMITS &
  typeof SESSIONS &
  typeof REPLICAS &
  typeof OBSERVABILITY
export type SettingName = keyof Rows
export type Settings = ValuesOf<Rows>

export const SETTINGS = joinRows(...SECTIONS.map(({ rows }) => rows)) as Rows

const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]
const getRow = (name: SettingName): SettingRow<unknown, unknown> => SETTINGS[name]

/** `RATE_LIMIT_MAX` → `rateLimit.max`. */
export const optionName = (name: string): string =>
  Object.hasOwn(SETTINGS, name) ? getRow(name as SettingName).option : name

export const SECRETS = SETTING_NAMES.filter(isSecret)

/** A file that has a secret. */
export interface SecretFile {
  readonly name: SettingName
  readonly path: string
  /** The user's name for the setting that names the file. */
  readonly label: string
  /** The secret as it is now. @throws Error that names the expected form, without the value */
  read(): string
}

/**
 * @param read the value of a row; undefined if nobody has set it. @throws Error that names the expected form
 * @param displayName what the user calls a setting
 * @throws ConfigError naming the setting
 */
export function readSettings(
  read: (name: SettingName, row: SettingRow<unknown, unknown>) => unknown,
  displayName: (name: string) => string,
): Settings {
  const settings: Record<string, unknown> = {}
  for (const name of SETTING_NAMES) {
    const row = getRow(name)
    try {
      settings[toKey(name)] = read(name, row) ?? row.fallback
    } catch (error) {
      if (error instanceof ConfigError) throw error
      throw new ConfigError(`${displayName(name)}: ${(error as Error).message}`)
    }
  }
  const fault = [findAccessConflict, findAuditConflict, findClaimConflict, findExchangeConflict, findStateConflict]
    .map(find => find(settings as unknown as Settings, displayName))
    .find(found => found !== undefined)
  if (fault !== undefined) throw new ConfigError(fault)
  return Object.freeze(settings) as unknown as Settings
}

/** @param paths those of doors @throws ConfigError if another route has the endpoint's path */
export function assertEndpointPath(
  settings: Settings,
  displayName: (name: string) => string,
  hostKind: HostKind,
  paths: readonly string[] = [],
): void {
  const fault = findPathConflict(settings, displayName, [...listOwnPaths(settings, hostKind), ...paths])
  if (fault !== undefined) throw new ConfigError(fault)
}

/** @throws ConfigError if a folder does not exist, cannot be read, or is within another */
export function assertToolsDir(toolsDir: readonly string[] | undefined, name = 'toolsDir'): void {
  const found = (toolsDir ?? []).map(folder => ({ folder, path: findFolder(folder, name) }))
  for (const [index, { folder, path }] of found.entries()) {
    const isWithin = (other: string) => path === other || path.startsWith(other.endsWith(sep) ? other : other + sep)
    const outer = found.find((each, other) => other !== index && isWithin(each.path))
    // Its files would be read twice.
    if (outer === undefined) continue
    const how = outer.path === path ? `${folder} and ${outer.folder} are the same` : `${folder} is in ${outer.folder}`
    throw new ConfigError(`${name}: expected folders apart from each other; ${how}`)
  }
}

/** @returns its real path */
function findFolder(folder: string, name: string): string {
  try {
    // Checks both rights: to list the folder and to enter it.
    opendirSync(folder).closeSync()
    statSync(`${folder}/.`)
    return realpathSync(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new ConfigError(`${name}: expected a folder that exists, not ${folder}`)
    throw new ConfigError(`${name}: expected a folder that can be read; ${folder}: ${message.split(', ')[0]}`)
  }
}

/** Whether the folders are those of the default, which may be created later. */
export const isDefaultToolsDir = ({ toolsDir }: Settings): boolean =>
  String(toolsDir) === String(SETTINGS.TOOLS_DIR.fallback)

/** Whether the setting is true or false. */
export const isFlag = (name: SettingName): boolean => getRow(name).type === flag

/** Whether its value must not be seen by others, such as in a list of processes. */
export function isSecret(name: SettingName): boolean {
  return getRow(name).isSecret === true
}

/** Values to keep out of error texts: secret settings, and variables named like secrets. */
export function collectSecrets(settings: Settings): string[] {
  const own = SECRETS.map(name => settings[toKey(name) as keyof Settings])
  const isPublic = (name: string) => Object.hasOwn(SETTINGS, name) && !isSecret(name as SettingName)
  return [...own, ...findSecretValues(isPublic)].filter(
    (value): value is string => typeof value === 'string' && value !== '',
  )
}

/** The default is not to be, except in production. */
export function isToolsStrict({ toolsStrict }: Settings): boolean {
  return toolsStrict ?? isProduction()
}

/** The default is to watch, except in production. */
export function watchesTools({ watchTools }: Settings): boolean {
  return watchTools ?? !isProduction()
}
