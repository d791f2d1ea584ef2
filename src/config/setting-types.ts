// The types of settings. Each has two readers, for the text of the environment and for the value of
// a program, and says what it expected.
import { isIP } from 'node:net'
import { ALGORITHMS, type Algorithm } from '../auth/algorithms.ts'
import { assertClaimNames, type ClaimNames, parseClaimNames } from '../auth/caller-claims.ts'
import { type ClaimPatterns, readClaimPatterns, readTellingPatterns } from '../auth/claim-patterns.ts'
import { assertScopeClaims, parseScopeClaims, type ScopeClaims } from '../auth/scope-claims.ts'
import { type Hierarchy, parseHierarchy, SCOPE_TOKEN } from '../auth/scopes.ts'
import { parseJson } from '../protocol/json.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import { MAX_TIMER_MS } from '../request/timers.ts'
import { readDuration } from '../text/duration.ts'
import { isUnmatchable } from '../text/unmatchable.ts'
import { hasCredentials } from '../text/url-credentials.ts'
import { isAddressBlock, isSafeUrl, parseHostList, parseOrigins } from './addresses.ts'

/** A type of values. Both methods throw an Error that names the expected form. */
export interface SettingType<T, Input = T> {
  /** The value that the text of a variable stands for. */
  parse(text: string): T
  /** Checks what a program gives, whatever TypeScript knows about it. */
  read(value: Input): T
}

type Read<T> = (value: unknown) => T

/** A list of a program: one value may stand without brackets. */
export type ListInput = string | readonly string[]

const createExpectedError = (what: string) => new Error(`expected ${what}`)

/** Of strings: text and value are the same. */
const createType = <T>(read: Read<T>): SettingType<T> => ({ parse: read, read })

function readText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw createExpectedError('a text that is not empty')
  return value
}

export const nonEmptyText = createType(readText)

export const text = (maxLength: number): SettingType<string> =>
  createType(value => {
    const read = readText(value)
    if (read.length > maxLength || /[\p{Cs}\0]/u.test(read))
      throw createExpectedError(`a text of at most ${maxLength} characters`)
    return read
  })

/** Clients may give it to the model. */
export const instructions = text(8192)

/** For people who choose a server. */
export const description = text(1000)

/** Extensions of the protocol that the server speaks: settings by id. SEP-2133. */
export type Extensions = Readonly<Record<string, Readonly<JsonObject>>>

/** Maximum length of their JSON, characters: each client gets it when it opens. */
const MAX_EXTENSIONS = 8192

// The rules of keys of `_meta`, with a prefix. Spec 2026-07-28: basic/index, "_meta".
const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const EXTENSION_ID = new RegExp(String.raw`^${LABEL}(?:\.${LABEL})*/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$`)

/** A list of ids, or an object of settings by id; as text, with commas or as JSON. */
export const extensions: SettingType<Extensions, ListInput | Extensions> = {
  parse: text => readExtensions(() => (text.trimStart().startsWith('{') ? text : toExtensions(splitList(text)))),
  read: value => readExtensions(() => (isObject(value) ? value : toExtensions(toEntries(value)))),
}

const toExtensions = (ids: readonly string[]) => Object.fromEntries(ids.map(id => [id, {}]))

/** @param give JSON, or what it stands for */
function readExtensions(give: () => string | object): Extensions {
  try {
    const given = give()
    const json = typeof given === 'string' ? given : JSON.stringify(given)
    const read = json.length > MAX_EXTENSIONS ? undefined : parseJson(Buffer.from(json))
    if (isObject(read) && Object.entries(read).every(isExtension)) return read as Extensions
  } catch {
    // Refused below.
  }
  throw createExpectedError(
    `ids such as com.example/name, or JSON of settings by id, at most ${MAX_EXTENSIONS} characters, without ${TASKS_EXTENSION}`,
  )
}

const isExtension = ([id, settings]: [string, unknown]) =>
  EXTENSION_ID.test(id) && id !== TASKS_EXTENSION && isObject(settings)

export function integer(min: number, max: number): SettingType<number> {
  const read: Read<number> = value => {
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      throw createExpectedError(`an integer from ${min} to ${max}`)
    return value as number
  }
  return { parse: text => read(/^\d+$/.test(text) ? Number(text) : text), read }
}

export const milliseconds = (min: number): SettingType<number> => integer(min, MAX_TIMER_MS)

export const flag: SettingType<boolean> = {
  parse: text => readFlag(text === 'true' ? true : text === 'false' ? false : text),
  read: readFlag,
}

function readFlag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw createExpectedError('true or false')
  return value
}

export const choice = <T extends string>(...words: T[]): SettingType<T> =>
  createType(value => {
    if (!words.includes(value as T)) throw createExpectedError(`one of ${words.join(', ')}`)
    return value as T
  })

/** As in a tool, a program may write it in words, too. */
export const duration: SettingType<number, number | string> = createType(value => {
  const ms = readDuration(value)
  if (ms === undefined) throw createExpectedError('milliseconds, or a time such as "1 minute"')
  return ms
})

/** The same, of whole milliseconds; a variable has their number. */
export function durationUpTo(maxMs: number): SettingType<number, number | string> {
  const { parse, read } = integer(1, maxMs)
  return {
    parse,
    read: value => {
      const ms = typeof value === 'string' ? duration.read(value) : value
      return read(ms)
    },
  }
}

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')

/** A comma would be a list as the environment has it. */
function toEntries(value: unknown, what = 'one text or more'): readonly string[] {
  const entries = typeof value === 'string' && !value.includes(',') ? [value] : value
  if (!Array.isArray(entries) || !entries.every(entry => typeof entry === 'string'))
    throw createExpectedError(`${what}, in an array`)
  // Not the array of the program, which may change it later.
  return [...entries]
}

interface ListForm<T> {
  /** Names the entries, in the plural. */
  readonly what: string
  /** The end of the refusal. */
  readonly rest?: string
  isFit(entries: readonly string[]): boolean
  read?(entries: readonly string[]): T
}

/** Separated by commas in text. */
function list<T = readonly string[]>({ what, rest = '', isFit, read }: ListForm<T>): SettingType<T, ListInput> {
  const check = (entries: readonly string[], how: string) => {
    if (!isFit(entries)) throw createExpectedError(`${what}, ${how}${rest}`)
    return read === undefined ? (entries as T) : read(entries)
  }
  return {
    parse: text => check(splitList(text), 'separated by commas'),
    read: value => check(toEntries(value, what), 'in an array'),
  }
}

const MAX_FOLDERS = 20

/** In an array, paths may contain commas. */
export const folders = list({
  what: `1 to ${MAX_FOLDERS} folders`,
  isFit: all => all.length > 0 && all.length <= MAX_FOLDERS && all.every(folder => folder !== ''),
})

const ALGORITHM_NAMES: ReadonlySet<string> = new Set(ALGORITHMS)

export const algorithms = list({
  what: `one or more of ${ALGORITHMS.join(', ')}`,
  isFit: all => all.length > 0 && all.every(name => ALGORITHM_NAMES.has(name)),
  read: all => [...new Set(all)] as readonly Algorithm[],
})

const values = list({
  what: 'one value or more',
  isFit: all => all.length > 0 && all.every(text => text !== '' && !/\p{Cc}/u.test(text)),
})

export const texts: SettingType<readonly string[], ListInput> = {
  read: values.read,
  parse: text => {
    const all = values.parse(text)
    if (all.some(isUnmatchable))
      throw createExpectedError('values separated by commas, without quotes, brackets or a comment')
    return all
  },
}

function isUrlWithCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && hasCredentials(url)
}

export const issuers: SettingType<readonly string[], ListInput> = {
  parse: text => assertIssuers(texts.parse(text)),
  read: value => assertIssuers(texts.read(value)),
}

// Entra's key set serves all tenants, and each can get a token for an app that is open to it.
function assertIssuers(all: readonly string[]): readonly string[] {
  // They are logged, shown, and compared with the iss of tokens.
  if (all.some(isUrlWithCredentials)) throw createExpectedError('issuers without a user and a password in them')
  const open = all.find(issuer =>
    /\{tenantid\}|^https:\/\/login\.microsoftonline\.com\/(common|organizations)\//.test(issuer),
  )
  if (open !== undefined) throw createExpectedError(`the issuer of each tenant instead of ${open}`)
  return all
}

// Commas separate the globs, so braces are not supported.
export const globs = list({
  what: 'names of tools',
  rest: ', with * and ? for what may differ',
  isFit: all => all.length > 0 && all.every(glob => /^[\w.*?[\]^!-]{1,128}$/.test(glob)),
})

// Rejects names that are invalid in a URL, which would otherwise fail later.
export const host = createType(value => {
  const name = readText(value)
  const isName = /^[\w.-]+$/.test(name) && URL.canParse(`http://${name}`)
  if (!isName && isIP(name) === 0) throw createExpectedError('an address or a name, without a port')
  return name
})

// URLs are compared exactly, but URL.parse drops or encodes white space.
function readUrl(value: unknown): string {
  const given = readText(value)
  const parsed = /[\s\p{Cc}\\]/u.test(given) ? null : URL.parse(given)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.hash || hasCredentials(parsed))
    throw createExpectedError('an http(s) URL')
  return given
}

export const url = createType(readUrl)

/** For people to open, so it may have a fragment. */
export const link = createType(value => {
  readUrl(readText(value).replace(/#\S*$/, ''))
  return value as string
})

export const urls = list({ what: 'URLs', isFit: () => true, read: all => all.map(readUrl) })

// Over plain HTTP anyone could replace keys, and read tokens.
export const safeUrl = createType(value => {
  if (!isSafeUrl(new URL(readUrl(value)))) throw createExpectedError('an https URL, or one on loopback')
  return value as string
})

// offline_access requests a refresh token, which concerns client and authorization server only.
export const scopes = list({
  what: 'scopes',
  rest: ', without offline_access',
  isFit: all => all.every(scope => SCOPE_TOKEN.test(scope)) && !all.includes('offline_access'),
  read: all => [...new Set(all)] as readonly string[],
})

/** In the same notation everywhere: `admin>write>read`. */
export const hierarchy: SettingType<Hierarchy, string> = {
  parse: parseHierarchy,
  read: value => parseHierarchy(readText(value)),
}

/** A notation of its own in text, an object in a program. */
const createMapType = <T extends object>(
  parse: (text: string) => T,
  read: (value: unknown) => T,
  example: string,
): SettingType<T> => ({
  parse,
  read: value => {
    if (!isObject(value)) throw createExpectedError(`an object such as ${example}`)
    return read(value)
  },
})

export const claimNames = createMapType<ClaimNames>(parseClaimNames, assertClaimNames, "{ tenant: 'tid' }")

export const claimPatterns = createMapType<ClaimPatterns>(
  readClaimPatterns,
  readClaimPatterns,
  "{ repository_owner: ['acme'] }",
)

export const tellingPatterns = createMapType<ClaimPatterns>(
  readTellingPatterns,
  readTellingPatterns,
  "{ token_use: ['access'] }",
)

export const scopeClaims = createMapType<ScopeClaims>(parseScopeClaims, assertScopeClaims, "{ roles: 'role:' }")

export const scopePrefix = createType(value => {
  if (!SCOPE_TOKEN.test(readText(value))) throw createExpectedError('the text before each scope, such as api://GUID/')
  return value as string
})

// Clients resolve `.` and `..` before they send a request.
export const path = createType(value => {
  const given = readText(value)
  if (!/^\/[A-Za-z0-9._~/-]*$/.test(given) || /\/\/|\/\.\.?(?:\/|$)/.test(given))
    throw createExpectedError('a path such as /mcp')
  return given
})

export const origins = list({ what: 'origins', isFit: () => true, read: parseOrigins })
export const hosts = list({ what: 'hosts', isFit: () => true, read: parseHostList })

// A hop count or `true` would let clients choose their address by a header.
export const proxies: SettingType<false | readonly string[], false | ListInput> = {
  parse: text => text !== 'false' && assertBlocks(splitList(text)),
  read: value => value !== false && assertBlocks(typeof value === 'string' ? [value] : value),
}

function assertBlocks(blocks: unknown): readonly string[] {
  const isFit = Array.isArray(blocks) && blocks.every(block => typeof block === 'string' && isAddressBlock(block))
  if (!isFit || blocks.length === 0) throw createExpectedError('false, or the addresses or CIDR blocks of the proxies')
  return blocks
}

export const secret = (minBytes: number): SettingType<string> =>
  createType(value => {
    if (Buffer.byteLength(readText(value)) < minBytes) throw createExpectedError(`at least ${minBytes} bytes`)
    return value as string
  })

// `//host` is how other libraries write a location; here it would be a folder at the root.
export const stateLocation: SettingType<string> = createType(value => {
  const read = readText(value)
  if (/^(?:memory|sqlite:(?!:memory:$|\/\/[^/]).+)$/.test(read)) return read
  throw createExpectedError('memory, or sqlite: and the path of a file')
})

export const redisUrl = createType(value => {
  if (!/^rediss?:$/.test(URL.parse(readText(value))?.protocol ?? ''))
    throw createExpectedError('a redis:// or rediss:// URL')
  return value as string
})

// Prefixes every key, so it must not look like a part of a key.
export const keyPrefix = createType(value => {
  if (!/^[\w.-]{1,64}$/.test(readText(value)))
    throw createExpectedError('1 to 64 letters, digits, dots, hyphens or underscores')
  return value as string
})
