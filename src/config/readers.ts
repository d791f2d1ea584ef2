// Readers of settings from environment text or program values, each with its own error text.
import { isIP } from 'node:net'
import { assertClaimNames, type ClaimNames, parseClaimNames } from '../auth/caller-claims.ts'
import { type ClaimPatterns, readClaimPatterns, readTellingPatterns } from '../auth/claim-patterns.ts'
import { ALGORITHMS, type Algorithm } from '../auth/keys.ts'
import { assertScopeClaims, parseScopeClaims, type ScopeClaims } from '../auth/scope-claims.ts'
import { type Hierarchy, parseHierarchy, SCOPE_TOKEN } from '../auth/scopes.ts'
import { parseJson } from '../protocol/json.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import { readDuration } from '../text/duration.ts'
import { isUnmatchable } from '../text/unmatchable.ts'
import { hasCredentials } from '../text/url-credentials.ts'
import { isAddressBlock, isSafeUrl, parseHostList, parseOrigins } from './addresses.ts'

/** @throws Error naming the expected form */
export type Reader<T> = (value: unknown) => T

const createExpectedError = (what: string) => new Error(`expected ${what}`)

export const nonEmptyText: Reader<string> = value => {
  if (typeof value !== 'string' || value === '') throw createExpectedError('a text that is not empty')
  return value
}

export const text =
  (maxLength: number): Reader<string> =>
  value => {
    if (nonEmptyText(value).length > maxLength || /[\p{Cs}\0]/u.test(value as string))
      throw createExpectedError(`a text of at most ${maxLength} characters`)
    return value as string
  }

/** What clients may give to the model. */
export const instructions = text(8192)

/** What the server says that it can do beside the protocol: settings by id. SEP-2133. */
export type Extensions = Readonly<Record<string, Readonly<JsonObject>>>

/** Maximum length of their JSON, characters: each client gets it when it opens. */
const MAX_EXTENSIONS = 8192

// The rules of keys of `_meta`, with a prefix. Spec 2026-07-28: basic/index, "_meta".
const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const EXTENSION_ID = new RegExp(String.raw`^${LABEL}(?:\.${LABEL})*/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$`)

/** A list of ids, or an object of settings by id; as text, with commas or as JSON. */
export const extensions: Reader<Extensions> = value => {
  try {
    const read = parseExtensions(value)
    if (Object.entries(read).every(isExtension)) return read
  } catch {
    // The refusal says what is expected.
  }
  throw createExpectedError(
    `ids such as com.example/name, or JSON of settings by id, at most ${MAX_EXTENSIONS} characters, without ${TASKS_EXTENSION}`,
  )
}

function parseExtensions(value: unknown): Extensions {
  const isJson = typeof value === 'string' ? value.trimStart().startsWith('{') : !Array.isArray(value)
  const settings = isJson ? value : Object.fromEntries(list(value).map(id => [id, {}]))
  const json = typeof settings === 'string' ? settings : JSON.stringify(settings)
  if (value === '' || json.length > MAX_EXTENSIONS) throw new RangeError('empty or too long')
  const read = parseJson(Buffer.from(json))
  if (!isObject(read)) throw new TypeError('not an object')
  return read as Extensions
}

const isExtension = ([id, settings]: [string, unknown]) =>
  EXTENSION_ID.test(id) && id !== TASKS_EXTENSION && isObject(settings)

export const integer =
  (min: number, max: number): Reader<number> =>
  value => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    if (!Number.isSafeInteger(number) || (number as number) < min || (number as number) > max) {
      throw createExpectedError(`an integer from ${min} to ${max}`)
    }
    return number as number
  }

export const flag: Reader<boolean> = value => {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw createExpectedError('true or false')
}

export const choice =
  <T extends string>(...words: T[]): Reader<T> =>
  value => {
    if (!words.includes(value as T)) throw createExpectedError(`one of ${words.join(', ')}`)
    return value as T
  }

export const duration: Reader<number> = value => {
  const ms = readDuration(value)
  if (ms === undefined) throw createExpectedError('milliseconds, or a time such as "1 minute"')
  return ms
}

const list: Reader<readonly string[]> = value => {
  const entries = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(entries) || !entries.every(entry => typeof entry === 'string'))
    throw createExpectedError('a comma-separated list')
  return entries.map(entry => entry.trim()).filter(entry => entry !== '')
}

const MAX_FOLDERS = 20

/** In an array, paths may contain commas. */
export const folders: Reader<readonly string[]> = value => {
  const all: readonly unknown[] = Array.isArray(value) ? value : list(value)
  if (all.length === 0 || all.length > MAX_FOLDERS || !all.every(folder => typeof folder === 'string' && folder !== ''))
    throw createExpectedError(`1 to ${MAX_FOLDERS} folders, separated by commas`)
  return all as readonly string[]
}

const ALGORITHM_NAMES: ReadonlySet<string> = new Set(ALGORITHMS)

export const algorithms: Reader<readonly Algorithm[]> = value => {
  const all = list(value)
  if (all.length === 0 || !all.every(name => ALGORITHM_NAMES.has(name)))
    throw createExpectedError(`one or more of ${ALGORITHMS.join(', ')}, separated by commas`)
  return [...new Set(all)] as Algorithm[]
}

export const texts: Reader<readonly string[]> = value => {
  const all = list(value)
  if (all.length === 0 || all.some(text => /\p{Cc}/u.test(text)))
    throw createExpectedError('one value or more, separated by commas')
  if (typeof value === 'string' && all.some(isUnmatchable))
    throw createExpectedError('values separated by commas, without quotes, brackets or a comment')
  return all
}

function isUrlWithCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && hasCredentials(url)
}

// Entra's key set serves all tenants, and each can get a token for an app that is open to it.
export const issuers: Reader<readonly string[]> = value => {
  const all = texts(value)
  // They are logged, shown, and compared with the iss of tokens.
  if (all.some(isUrlWithCredentials)) throw createExpectedError('issuers without a user and a password in them')
  const open = all.find(issuer =>
    /\{tenantid\}|^https:\/\/login\.microsoftonline\.com\/(common|organizations)\//.test(issuer),
  )
  if (open !== undefined) throw createExpectedError(`the issuer of each tenant, separated by commas, not ${open}`)
  return all
}

// Commas separate the globs, so braces are not supported.
export const globs: Reader<readonly string[]> = value => {
  const all = list(value)
  if (all.length === 0 || !all.every(glob => /^[\w.*?[\]^!-]{1,128}$/.test(glob)))
    throw createExpectedError('names of tools, separated by commas, with * and ? for what may differ')
  return all
}

// Rejects names that are invalid in a URL, which would otherwise fail later.
export const host: Reader<string> = value => {
  const isName = /^[\w.-]+$/.test(nonEmptyText(value)) && URL.canParse(`http://${value}`)
  if (!isName && isIP(value as string) === 0) throw createExpectedError('an address or a name, without a port')
  return value as string
}

// URLs are compared exactly, but URL.parse drops or encodes white space.
export const url: Reader<string> = value => {
  const parsed = /[\s\p{Cc}\\]/u.test(nonEmptyText(value)) ? null : URL.parse(value as string)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.hash || hasCredentials(parsed))
    throw createExpectedError('an http(s) URL')
  return value as string
}

/** For people to open, so it may have a fragment. */
export const link: Reader<string> = value => {
  url(nonEmptyText(value).replace(/#\S*$/, ''))
  return value as string
}

/** What the server says of itself to people. */
export const description = text(1000)

export const urls: Reader<readonly string[]> = value => list(value).map(url)

// Over plain HTTP anyone could replace keys, and read tokens.
export const safeUrl: Reader<string> = value => {
  if (!isSafeUrl(new URL(url(value)))) throw createExpectedError('an https URL, or one on loopback')
  return value as string
}

// offline_access requests a refresh token, which concerns client and authorization server only.
export const scopes: Reader<readonly string[]> = value => {
  const all = list(value)
  if (!all.every(scope => SCOPE_TOKEN.test(scope)) || all.includes('offline_access'))
    throw createExpectedError('scopes, separated by commas, without offline_access')
  return [...new Set(all)]
}

export const hierarchy: Reader<Hierarchy> = value =>
  value instanceof Map ? value : parseHierarchy(nonEmptyText(value))

export const claimNames: Reader<ClaimNames> = value =>
  typeof value === 'string' ? parseClaimNames(value) : assertClaimNames(value)

export const claimPatterns: Reader<ClaimPatterns> = readClaimPatterns

export const tellingPatterns: Reader<ClaimPatterns> = readTellingPatterns

export const scopeClaims: Reader<ScopeClaims> = value =>
  typeof value === 'string' ? parseScopeClaims(value) : assertScopeClaims(value)

export const scopePrefix: Reader<string> = value => {
  if (!SCOPE_TOKEN.test(nonEmptyText(value)))
    throw createExpectedError('the text before each scope, such as api://GUID/')
  return value as string
}

// Clients resolve `.` and `..` before they send a request.
export const path: Reader<string> = value => {
  if (!/^\/[A-Za-z0-9._~/-]*$/.test(nonEmptyText(value)) || /\/\/|\/\.\.?(?:\/|$)/.test(value as string))
    throw createExpectedError('a path such as /mcp')
  return value as string
}

export const origins: Reader<readonly string[]> = value => parseOrigins(list(value))
export const hosts: Reader<readonly string[]> = value => parseHostList(list(value))

// A hop count or `true` would let clients choose their address by a header.
export const proxies: Reader<false | readonly string[]> = value => {
  if (value === false || value === 'false') return false
  const blocks = value === true || typeof value === 'number' ? [] : list(value)
  if (blocks.length === 0 || !blocks.every(isAddressBlock))
    throw createExpectedError('false, or the addresses or CIDR blocks of the proxies')
  return blocks
}

export const secret =
  (minBytes: number): Reader<string> =>
  value => {
    if (Buffer.byteLength(nonEmptyText(value)) < minBytes) throw createExpectedError(`at least ${minBytes} bytes`)
    return value as string
  }

// `//host` is how other libraries write a location; here it would be a folder at the root.
export const stateLocation: Reader<string> = value => {
  if (!/^(?:memory|sqlite:(?!:memory:$|\/\/[^/]).+)$/.test(nonEmptyText(value)))
    throw createExpectedError('memory, or sqlite: and the path of a file')
  return value as string
}

export const redisUrl: Reader<string> = value => {
  if (!/^rediss?:$/.test(URL.parse(nonEmptyText(value))?.protocol ?? ''))
    throw createExpectedError('a redis:// or rediss:// URL')
  return value as string
}

// Prefixes every key, so it must not look like a part of a key.
export const keyPrefix: Reader<string> = value => {
  if (!/^[\w.-]{1,64}$/.test(nonEmptyText(value)))
    throw createExpectedError('1 to 64 letters, digits, dots, hyphens or underscores')
  return value as string
}
