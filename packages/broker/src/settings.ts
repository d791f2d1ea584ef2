// The settings of the broker, in one table. They are read from the environment before the start. One
// error names every wrong setting.
import { findMisspellings, readRawValue } from 'toolrack/environment'
import { readSecretFile, toFileName } from 'toolrack/settings'
import { type AllowList, allowListOf } from 'toolrack/web'
import {
  anyText,
  appSchemes,
  choice,
  duration,
  expected,
  host,
  hostNames,
  integer,
  keyPrefix,
  longSecret,
  origin,
  proxies,
  type Reader,
  redisUrl,
  secureUrl,
  secureUrls,
  words,
} from './readers.ts'
import { type ClaimMapping, parseClaims } from './users/claims.ts'
import { parseScopes, parseUserRules, type ScopeRules, type UserRules } from './users/rules.ts'

/** Has one line for each wrong setting. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

interface Row<T> {
  readonly fallback: T
  readonly read: Reader<T>
  /** Also read from the file that `NAME_FILE` names. */
  readonly isSecret?: boolean
  /** White space around it is ignored. */
  readonly isJson?: boolean
}

const row = <T>(fallback: T, read: Reader<T>): Row<T> => ({ fallback, read })
const optional = <T>(read: Reader<T>): Row<T | undefined> => ({ fallback: undefined, read })
const secret = <T>(read: Reader<T>): Row<T | undefined> => ({ ...optional(read), isSecret: true })

const DAY_MS = 86_400_000

const upstreamScopes: Reader<readonly string[]> = text => {
  const all = words(text)
  if (!all.includes('openid')) throw expected('scopes, separated by commas, and openid among them')
  return all
}

const SETTINGS = {
  BROKER_URL: optional(origin),
  HOST: row('127.0.0.1', host),
  PORT: row(4000, integer(0, 65_535)),
  METRICS_PORT: optional(integer(1, 65_535)),
  TRUST_PROXY: row<readonly string[]>([], proxies),
  LOG_LEVEL: row('info', choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
  RESOURCE_URL: optional(secureUrls),
  SCOPES: row<ScopeRules>(parseScopes('mcp'), parseScopes),
  CLAIMS: row<ClaimMapping>(parseClaims('email'), parseClaims),
  ALLOWED_USERS: optional<UserRules>(parseUserRules),
  UPSTREAM_ISSUER: optional(secureUrl),
  UPSTREAM_CLIENT_ID: optional(anyText),
  UPSTREAM_CLIENT_SECRET: secret(anyText),
  UPSTREAM_SCOPES: row<readonly string[]>(['openid', 'email', 'profile'], upstreamScopes),
  UPSTREAM_CHECK_MS: row(300_000, duration(0, DAY_MS)),
  UPSTREAM_NAME: optional(anyText),
  SUBJECT_CLAIM: row('sub', anyText),
  EXCHANGE_CLIENT_SECRET: secret(longSecret),
  REDIRECT_HOSTS: optional(hostNames),
  REDIRECT_SCHEMES: row<readonly string[]>([], appSchemes),
  PRIVATE_CLIENT_HOSTS: row<AllowList>(allowListOf('PRIVATE_CLIENT_HOSTS'), text =>
    allowListOf('PRIVATE_CLIENT_HOSTS', text),
  ),
  SIGNING_KEYS: { ...secret(anyText), isJson: true },
  KEYS_PATH: optional(anyText),
  REDIS_URL: secret(redisUrl),
  REDIS_PREFIX: row('broker', keyPrefix),
  ACCESS_TOKEN_TTL_MS: row(600_000, duration(60_000, DAY_MS)),
  SIGN_IN_TTL_MS: row(7 * DAY_MS, duration(60_000, 90 * DAY_MS)),
}

type Table = typeof SETTINGS
type Values = { readonly [Name in keyof Table]: Table[Name] extends Row<infer T> ? T : never }
const REQUIRED = [
  'BROKER_URL',
  'RESOURCE_URL',
  'ALLOWED_USERS',
  'UPSTREAM_ISSUER',
  'UPSTREAM_CLIENT_ID',
  'UPSTREAM_CLIENT_SECRET',
] as const
type Required = (typeof REQUIRED)[number]
export type Settings = Values & { readonly [Name in Required]: NonNullable<Values[Name]> }

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS)

/** @throws SettingsError with a line for each setting that is missing, wrong or misspelt */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { fallback, read, isSecret = false, isJson = false }] of Object.entries<Row<unknown>>(SETTINGS)) {
    try {
      const given = isSecret ? readSecret(name, environment) : environment[name]
      const text = readRawValue(given ?? '', { isSecret: isSecret && !isJson })
      values[name] = text === '' ? fallback : read(text)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
    }
  }
  const isWrong = (name: string) => problems.some(problem => problem.startsWith(`${name}: `))
  for (const name of REQUIRED)
    if (values[name] === undefined && !isWrong(name))
      problems.push(`${name}: expected a value, since it has no default`)
  problems.push(...findConflicts(values as Values), ...findSlips(environment))
  if (problems.length > 0) throw new SettingsError(problems.join('\n'))
  return values as Settings
}

function readSecret(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const file = toFileName(name)
  const path = environment[file] ?? ''
  if (path === '') return environment[name]
  if ((environment[name] ?? '') !== '') throw expected(`either ${name} or ${file}, not both`)
  try {
    return readSecretFile(path)
  } catch (error) {
    throw new Error(`${(error as Error).message} (${file})`)
  }
}

function findConflicts({ SIGNING_KEYS, KEYS_PATH, REDIS_URL, BROKER_URL, RESOURCE_URL }: Values): string[] {
  const problems: string[] = []
  if (SIGNING_KEYS !== undefined && KEYS_PATH !== undefined)
    problems.push('SIGNING_KEYS: expected either SIGNING_KEYS or KEYS_PATH, not both')
  // Otherwise each process would sign with keys that the others do not publish.
  if (REDIS_URL !== undefined && SIGNING_KEYS === undefined && KEYS_PATH === undefined)
    problems.push(
      'KEYS_PATH: expected a value (or SIGNING_KEYS), since REDIS_URL shares the state of several processes',
    )
  if (BROKER_URL !== undefined && RESOURCE_URL?.some(url => url.startsWith(`${BROKER_URL}/`)))
    problems.push('BROKER_URL: expected another origin than that of RESOURCE_URL, which browsers keep apart')
  return problems
}

function findSlips(environment: NodeJS.ProcessEnv): string[] {
  const known = new Set([...SETTING_NAMES, ...SETTING_NAMES.map(toFileName)])
  const slips = findMisspellings(environment, SETTING_NAMES, name => known.has(name))
  return [...slips].map(({ name, meant }) => `${name}: no such setting; did you mean ${meant}?`)
}
