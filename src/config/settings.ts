// The settings: one table for environment and library options, validated before the start. Only
// this file and environment.ts read process.env.
import { opendirSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import type { ClaimNames } from '../auth/caller-claims.ts'
import type { ClaimPatterns } from '../auth/claim-patterns.ts'
import type { Algorithm } from '../auth/keys.ts'
import type { ScopeClaims } from '../auth/scope-claims.ts'
import type { Hierarchy } from '../auth/scopes.ts'
import type { HostKind } from './doors.ts'
import { findSecretValues, isProduction } from './environment.ts'
import { findMisspellings, findNearest, isServiceLink } from './misspelling.ts'
import { readRawValue } from './raw-value.ts'
import {
  algorithms,
  choice,
  claimNames,
  claimPatterns,
  description,
  duration,
  type Extensions,
  extensions,
  flag,
  folders,
  globs,
  hierarchy,
  host,
  hosts,
  instructions,
  integer,
  issuers,
  keyPrefix,
  link,
  nonEmptyText,
  origins,
  path,
  proxies,
  type Reader,
  redisUrl,
  safeUrl,
  scopeClaims,
  scopePrefix,
  scopes,
  secret,
  stateLocation,
  text,
  texts,
  url,
  urls,
} from './readers.ts'
import {
  findAccessConflict,
  findAuditConflict,
  findClaimConflict,
  findPathConflict,
  findStateConflict,
} from './rules.ts'
import { fromFileName, readSecretFile, readSecretFiles, toFileName } from './secret-files.ts'
import { findExchangeConflict } from './token-exchange.ts'

/** The message names the setting and the expected form. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

interface SettingRow<T> {
  readonly fallback: T
  readonly read: Reader<T>
  readonly isSecret?: boolean
}

export type SettingName = keyof typeof SETTINGS

const setting = <T>(fallback: T, read: Reader<T>, extras: Partial<SettingRow<T>> = {}): SettingRow<T> => ({
  fallback,
  read,
  ...extras,
})
const optional = <T>(read: Reader<T>, extras: Partial<SettingRow<T | undefined>> = {}) =>
  setting<T | undefined>(undefined, read, extras)

const MAX_MS = 2 ** 31 - 1

export const SETTINGS = {
  HOST: setting('127.0.0.1', host),
  PORT: setting(3000, integer(0, 65_535)),
  MCP_PATH: setting('/mcp', path),
  PUBLIC_URL: optional(url),
  SERVER_NAME: optional(text(128)),
  SERVER_TITLE: optional(text(200)),
  SERVER_DESCRIPTION: optional(description),
  SERVER_VERSION: optional(text(64)),
  SERVER_WEBSITE_URL: optional(link),
  SERVER_ICON: optional(nonEmptyText),
  EXTENSIONS: optional<Extensions>(extensions),
  INSTRUCTIONS: optional(instructions),
  INSTRUCTIONS_FILE: optional(nonEmptyText),
  TOOLS_DIR: setting<readonly string[]>(['./tools'], folders),
  TOOLS_STRICT: optional(flag),
  SAMPLES: setting(false, flag),
  TOOLS_INCLUDE: optional(globs),
  TOOLS_EXCLUDE: optional(globs),
  WATCH_TOOLS: optional(flag),
  CLIENT_LOGGING: setting(true, flag),
  LOG_LEVEL: setting('info', choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
  JWT_SECRET: optional(secret(32), { isSecret: true }),
  JWT_JWKS_URL: optional(safeUrl),
  JWT_ALGORITHMS: optional<readonly Algorithm[]>(algorithms),
  JWT_ISSUER: optional<readonly string[]>(issuers),
  JWT_AUDIENCE: optional<readonly string[]>(texts),
  JWT_AUDIENCE_OPTIONAL: optional(flag),
  JWT_CLIENT_IDS: optional<readonly string[]>(texts),
  JWT_REQUIRED_CLAIMS: optional<ClaimPatterns>(claimPatterns),
  JWT_SCOPE_CLAIMS: optional<ScopeClaims>(scopeClaims),
  JWT_SCOPE_PREFIX: optional(scopePrefix),
  JWT_CLAIMS: optional<ClaimNames>(claimNames),
  ISSUERS_FILE: optional(nonEmptyText),
  API_KEYS_FILE: optional(nonEmptyText),
  AUTHORIZATION_SERVERS: optional(urls),
  TOKEN_EXCHANGE_URL: optional(safeUrl),
  TOKEN_EXCHANGE_CLIENT_ID: optional(nonEmptyText),
  TOKEN_EXCHANGE_CLIENT_SECRET: optional(secret(6), { isSecret: true }),
  TOKEN_EXCHANGE_GRANT: optional(choice('token-exchange', 'jwt-bearer')),
  SCOPES_SUPPORTED: optional(scopes),
  REQUIRED_SCOPES: optional(scopes),
  SCOPE_HIERARCHY: optional<Hierarchy>(hierarchy),
  SCOPE_DENIAL: setting<'challenge' | 'result'>('challenge', choice('challenge', 'result')),
  ALLOW_ANONYMOUS: setting(false, flag),
  ALLOWED_ORIGINS: optional(origins),
  ALLOWED_HOSTS: optional(hosts),
  TRUST_PROXY: setting<false | readonly string[]>(false, proxies),
  RATE_LIMIT_MAX: setting(600, integer(1, Number.MAX_SAFE_INTEGER)),
  RATE_LIMIT_WINDOW: setting(60_000, duration),
  RATE_LIMIT_CLAIM: optional(nonEmptyText),
  TOOL_TIMEOUT_MS: setting(30_000, integer(1, 600_000)),
  MAX_CONCURRENT_CALLS: setting(256, integer(1, 1_000_000)),
  MAX_QUEUED_CALLS: setting(1024, integer(0, 1_000_000)),
  MAX_BODY_BYTES: setting(1024 * 1024, integer(1024, 2 ** 30)),
  MAX_RESULT_BYTES: setting(4 * 1024 * 1024, integer(1024, 2 ** 29)),
  PAGE_SIZE: setting(1000, integer(1, 10_000)),
  LIST_TTL_MS: setting(60_000, integer(0, MAX_MS)),
  SESSIONS: setting<'optional' | 'required'>('optional', choice('optional', 'required')),
  SESSION_TTL_MS: setting(3_600_000, integer(1000, MAX_MS)),
  STATE_SECRET: optional(secret(32), { isSecret: true }),
  STATE_SECRET_PREVIOUS: optional(secret(32), { isSecret: true }),
  TASK_INLINE_MS: setting(2000, integer(0, 60_000)),
  TASK_TTL_MS: setting(3_600_000, integer(1000, 86_400_000)),
  TASK_FALLBACK_TOOLS: setting(false, flag),
  STATE: optional(stateLocation),
  REDIS_URL: optional(redisUrl, { isSecret: true }),
  REDIS_PREFIX: setting('toolrack', keyPrefix),
  HTTP_SSE: setting(false, flag),
  PLAIN_HTTP: optional(flag),
  CONSOLE: optional(flag),
  METRICS: setting(true, flag),
  METRICS_PORT: optional(integer(0, 65_535)),
  METRICS_TOKEN: optional(secret(16), { isSecret: true }),
  SLOW_CALL_MS: setting(5000, integer(1, MAX_MS)),
  AUDIT_FILE: optional(nonEmptyText),
  AUDIT_REQUIRED: setting(false, flag),
  AUDIT_ARGUMENTS: setting(false, flag),
  TENANT_CLAIM: optional(nonEmptyText),
  DRAIN_MS: setting(10_000, integer(0, MAX_MS)),
  ERROR_MESSAGES: setting<'all' | 'tool-errors'>('all', choice('all', 'tool-errors')),
} as const satisfies Record<string, SettingRow<never> | SettingRow<unknown>>

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>
type SettingValue<N extends SettingName> = (typeof SETTINGS)[N] extends SettingRow<infer T> ? T : never

export type Settings = { readonly [N in SettingName as CamelCase<N>]: SettingValue<N> }

/** `RATE_LIMIT_MAX` → `rateLimitMax`. */
export function optionName(setting: string): string {
  return setting.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

const OPTION_NAMES: ReadonlySet<string> = new Set(Object.keys(SETTINGS).map(optionName))
/** `rateLimitMax` → `RATE_LIMIT_MAX`. */
const settingName = (option: string) => option.replace(/[A-Z]/g, '_$&').toUpperCase()

const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]
const SECRETS = SETTING_NAMES.filter(isSecret)
/** The variables that name files of secrets: `JWT_SECRET_FILE`. */
export const SECRET_FILES: readonly string[] = SECRETS.map(toFileName)
const isVariable = (name: string) => Object.hasOwn(SETTINGS, name) || SECRET_FILES.includes(name)

/** A file that has a secret. */
export interface SecretFile {
  readonly name: SettingName
  readonly path: string
  /** What the user calls the setting that names the file. */
  readonly label: string
}

/** @throws ConfigError naming the variable of a file */
export function findSecretFiles(
  environment: NodeJS.ProcessEnv = process.env,
  displayName = (name: string): string => name,
): readonly SecretFile[] {
  return SECRETS.flatMap(name => {
    const path = findVariable(toFileName(name), environment, displayName)
    return path === undefined ? [] : [{ name, path, label: displayName(toFileName(name)) }]
  })
}

/** The secrets that files have, by name. @throws ConfigError naming the variable of a file */
function readFiles(environment: NodeJS.ProcessEnv, displayName: (name: string) => string): ReadonlyMap<string, string> {
  const paths = findSecretFiles(environment, displayName).map(({ name, path }) => [toFileName(name), path])
  const none = SECRET_FILES.map(name => [name, undefined])
  try {
    return readSecretFiles(SECRETS, { ...environment, ...Object.fromEntries([...none, ...paths]) })
  } catch (error) {
    throw new ConfigError((error as Error).message.replace(/^\w+/, displayName))
  }
}

/** Reads one file again. @throws Error saying what was expected, without the value */
export function readSecretSetting({ name, path }: Pick<SecretFile, 'name' | 'path'>): string {
  const value = readRawValue(readSecretFile(path), { isSecret: true })
  return (SETTINGS[name].read as Reader<string>)(value)
}

/**
 * @param displayName what the user calls a setting: its variable, or an option of the command line
 * @param lists win over the environment; their values may contain commas
 * @throws ConfigError naming the variable, also if its name looks misspelt
 */
export function readEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  displayName = (name: string): string => name,
  lists: Readonly<Partial<Record<string, readonly string[]>>> = {},
): Settings {
  // First, since other errors would confuse the operator who misspelt a name.
  assertNoMisspelling([...SETTING_NAMES, ...SECRET_FILES], isVariable, environment)
  const files = readFiles(environment, displayName)
  const nameGiven = (name: string) => displayName(files.has(name) ? toFileName(name) : name)
  const given = { ...environment, ...Object.fromEntries(files) }
  const lookUp = (name: string) => lists[name] ?? findVariable(name, given, nameGiven)
  const settings = readSettings(lookUp, nameGiven)
  assertEndpointPath(settings, nameGiven, { isPlugin: false })
  return settings
}

/** @returns undefined if it is empty too, as compose passes what nobody has set */
function findVariable(
  name: string,
  environment: NodeJS.ProcessEnv,
  displayName: (name: string) => string,
): string | undefined {
  const value = environment[name] ?? ''
  if (value === '' || isServiceLink(name, value)) return undefined
  try {
    // Of an empty one, a file with the line ends of Windows leaves a blank.
    return readRawValue(value, { isSecret: SECRETS.some(secret => secret === name) }) || undefined
  } catch (error) {
    throw new ConfigError(`${displayName(name)}: ${(error as Error).message}`)
  }
}

function assertNoMisspelling(
  wanted: readonly string[],
  isKnown: (name: string) => boolean,
  environment: NodeJS.ProcessEnv,
) {
  const [slip] = findMisspellings(environment, wanted, isKnown)
  if (slip !== undefined) throw new ConfigError(`${slip.name} is no setting; did you mean ${slip.meant}?`)
}

/** The same for the variables of tools. @throws ConfigError naming a misspelt one */
export function assertToolSettings(names: ReadonlySet<string>, environment: NodeJS.ProcessEnv = process.env): void {
  const isKnown = (name: string) => names.has(name) || names.has(fromFileName(name) ?? '') || isVariable(name)
  assertNoMisspelling([...names, ...[...names].map(toFileName)], isKnown, environment)
}

/** @throws ConfigError naming the option, also an unknown one */
export function readOptions(options: Readonly<Record<string, unknown>>): Settings {
  const unknown = Object.keys(options).find(name => !OPTION_NAMES.has(name))
  if (unknown !== undefined) {
    const meant = findNearest(settingName(unknown), SETTING_NAMES)
    throw new ConfigError(
      `${unknown}: no such option${meant === undefined ? '' : `; did you mean ${optionName(meant)}?`}`,
    )
  }
  return readSettings(name => options[optionName(name)], optionName)
}

function readSettings(lookUp: (name: string) => unknown, displayName: (name: string) => string): Settings {
  const settings: Record<string, unknown> = {}
  for (const [name, { fallback, read }] of Object.entries(SETTINGS)) {
    const value = lookUp(name)
    try {
      settings[optionName(name)] = value === undefined ? fallback : read(value)
    } catch (error) {
      throw new ConfigError(`${displayName(name)}: ${(error as Error).message}`)
    }
  }
  const fault = [findAccessConflict, findAuditConflict, findClaimConflict, findExchangeConflict, findStateConflict]
    .map(find => find(settings as Settings, displayName))
    .find(found => found !== undefined)
  if (fault !== undefined) throw new ConfigError(fault)
  return Object.freeze(settings) as Settings
}

/** @throws ConfigError if another route has the endpoint's path */
export function assertEndpointPath(
  settings: Settings,
  displayName: (name: string) => string,
  hostKind: HostKind,
): void {
  const fault = findPathConflict(settings, displayName, hostKind)
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
export const isFlag = (name: SettingName): boolean => (SETTINGS[name].read as Reader<unknown>) === flag

/** Whether its value must not be seen by others, such as in a list of processes. */
export function isSecret(name: SettingName): boolean {
  return (SETTINGS[name] as SettingRow<unknown>).isSecret === true
}

/** Values to keep out of error texts: secret settings, and variables named like secrets. */
export function collectSecrets(settings: Settings): string[] {
  const own = Object.entries(SETTINGS)
    .filter(([name]) => isSecret(name as SettingName))
    .map(([name]) => settings[optionName(name) as keyof Settings])
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
