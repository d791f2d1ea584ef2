// The settings of the broker: one table, read from the environment before the start. Whoever is wrong is named.
import { readFileSync } from 'node:fs'
import { isLoopback } from '../../../src/config/addresses.ts'
import { findMisspelling } from '../../../src/config/misspelling.ts'
import {
  choice,
  duration,
  host,
  integer,
  keyPrefix,
  nonEmptyText,
  proxies,
  type Reader,
  redisUrl,
} from '../../../src/config/readers.ts'
import { type AllowList, allowListOf } from '../../../tools/_web/allow-list.ts'
import { type ClaimMapping, parseClaims } from './users/claims.ts'
import { parseScopes, parseUserRules, type ScopeRules, type UserRules } from './users/rules.ts'

/** One line for each setting that is wrong. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

interface Row<T> {
  readonly fallback: T
  readonly read: Reader<T>
  /** Also read from the file that `NAME_FILE` names. */
  readonly isSecret?: boolean
}

const expected = (what: string) => new Error(`expected ${what}`)
const row = <T>(fallback: T, read: Reader<T>): Row<T> => ({ fallback, read })
const optional = <T>(read: Reader<T>): Row<T | undefined> => ({ fallback: undefined, read })
const secret = <T>(read: Reader<T>): Row<T | undefined> => ({ ...optional(read), isSecret: true })

const words = (value: unknown): string[] =>
  nonEmptyText(value)
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')

/** Over plain HTTP everybody on the way could read codes and tokens. */
const secureUrl: Reader<URL> = value => {
  const parsed = /[\s\p{Cc}\\]/u.test(nonEmptyText(value)) ? null : URL.parse(value as string)
  const isSecure = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopback(parsed.hostname))
  if (parsed === null || !isSecure || parsed.hash || parsed.search || parsed.username || parsed.password)
    throw expected('an https URL, or an http URL on loopback')
  return parsed
}

/** The issuer of tokens is compared letter for letter, and cookies with `__Host-` hold for a whole host. */
const origin: Reader<string> = value => {
  const url = secureUrl(value)
  if (value !== url.origin) throw expected(`an origin without a path or a slash, such as ${url.origin}`)
  return url.origin
}

const resources: Reader<readonly string[]> = value => words(value).map(word => secureUrl(word) && word)

const scheme: Reader<readonly string[]> = value => {
  const all = words(value)
  if (!all.every(word => /^[a-z][a-z0-9+.-]*$/.test(word) && !/^(?:https?|javascript|data|file|vbscript)$/.test(word)))
    throw expected('schemes of apps, separated by commas, such as cursor')
  return all
}

const hostNames: Reader<readonly string[]> = value => {
  const all = words(value).map(word => word.toLowerCase())
  if (!all.every(word => /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(word)))
    throw expected('host names, separated by commas, such as claude.ai,chatgpt.com,localhost')
  return all
}

const SETTINGS = {
  BROKER_URL: optional(origin),
  HOST: row('127.0.0.1', host),
  PORT: row(4000, integer(0, 65_535)),
  TRUST_PROXY: row<false | readonly string[]>(false, proxies),
  LOG_LEVEL: row('info', choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
  RESOURCE_URL: optional(resources),
  SCOPES: row<ScopeRules>(parseScopes('mcp'), value => parseScopes(nonEmptyText(value))),
  CLAIMS: row<ClaimMapping>(parseClaims('email'), value => parseClaims(nonEmptyText(value))),
  ALLOWED_USERS: optional<UserRules>(value => parseUserRules(nonEmptyText(value))),
  UPSTREAM_ISSUER: optional(secureUrl),
  UPSTREAM_CLIENT_ID: optional(nonEmptyText),
  UPSTREAM_CLIENT_SECRET: secret(nonEmptyText),
  UPSTREAM_SCOPES: row<readonly string[]>(['openid', 'email', 'profile'], value => {
    const all = words(value)
    if (!all.includes('openid')) throw expected('scopes, separated by commas, and openid among them')
    return all
  }),
  UPSTREAM_NAME: optional(nonEmptyText),
  SUBJECT_CLAIM: row('sub', nonEmptyText),
  REDIRECT_HOSTS: optional(hostNames),
  REDIRECT_SCHEMES: row<readonly string[]>([], scheme),
  PRIVATE_CLIENT_HOSTS: row<AllowList>(allowListOf('PRIVATE_CLIENT_HOSTS'), value =>
    allowListOf('PRIVATE_CLIENT_HOSTS', nonEmptyText(value)),
  ),
  SIGNING_KEYS: secret(nonEmptyText),
  KEYS_PATH: optional(nonEmptyText),
  REDIS_URL: secret(redisUrl),
  REDIS_PREFIX: row('broker', keyPrefix),
  ACCESS_TOKEN_TTL_MS: row(600_000, duration),
  SIGN_IN_TTL_MS: row(604_800_000, duration),
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
  for (const [name, { fallback, read, isSecret }] of Object.entries<Row<unknown>>(SETTINGS)) {
    try {
      const text = isSecret === true ? readSecret(name, environment) : environment[name]
      values[name] = text === undefined || text === '' ? fallback : read(text)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
    }
  }
  const isWrong = (name: string) => problems.some(problem => problem.startsWith(`${name}: `))
  for (const name of REQUIRED)
    if (values[name] === undefined && !isWrong(name))
      problems.push(`${name}: expected a value, since it has no default`)
  problems.push(...findConflicts(values as Values), ...findSlip(environment))
  if (problems.length > 0) throw new SettingsError(problems.join('\n'))
  return values as Settings
}

function readSecret(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const file = environment[`${name}_FILE`]
  if (file === undefined || file === '') return environment[name]
  if ((environment[name] ?? '') !== '') throw expected(`either ${name} or ${name}_FILE, not both`)
  try {
    // Editors and `echo` end the file with a line feed, which is no part of the secret.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw expected(`a file that can be read at ${name}_FILE (${(error as NodeJS.ErrnoException).code})`)
  }
}

function findConflicts({ SIGNING_KEYS, KEYS_PATH, REDIS_URL, BROKER_URL, RESOURCE_URL }: Values): string[] {
  const problems: string[] = []
  if (SIGNING_KEYS !== undefined && KEYS_PATH !== undefined)
    problems.push('SIGNING_KEYS: expected either SIGNING_KEYS or KEYS_PATH, not both')
  // Each process would sign with keys that the others do not publish.
  if (REDIS_URL !== undefined && SIGNING_KEYS === undefined && KEYS_PATH === undefined)
    problems.push(
      'KEYS_PATH: expected a value (or SIGNING_KEYS), since REDIS_URL shares the state of several processes',
    )
  if (BROKER_URL !== undefined && RESOURCE_URL?.some(url => url.startsWith(`${BROKER_URL}/`)))
    problems.push('BROKER_URL: expected another origin than that of RESOURCE_URL, which browsers keep apart')
  return problems
}

function findSlip(environment: NodeJS.ProcessEnv): string[] {
  const known = new Set([...SETTING_NAMES, ...SETTING_NAMES.map(name => `${name}_FILE`)])
  const slip = findMisspelling(environment, SETTING_NAMES, name => known.has(name))
  return slip === undefined ? [] : [`${slip.name}: no such setting; did you mean ${slip.meant}?`]
}
