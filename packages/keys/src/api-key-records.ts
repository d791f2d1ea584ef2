// Parses the file of API keys strictly: a key with a misspelt expiry must not be valid forever.

import type { JsonObject } from 'toolrack'
import {
  assertClaimNames,
  freezeClaims,
  isClaimText,
  MAX_CLAIMS,
  MAX_CLAIMS_LENGTH,
  SCOPE_TOKEN,
} from 'toolrack/access'
import { isObject, McpError, parseJson } from 'toolrack/protocol'
import { cutText, findNearestName } from 'toolrack/text'
import { isApiKeyId } from './api-key.ts'

export const MAX_API_KEYS = 10_000
/** Maximum size of the whole file. */
export const MAX_API_KEY_FILE_BYTES = 8 * 1024 * 1024
/** The longest lifetime, days: a year and a day. */
export const MAX_API_KEY_DAYS = 366
export const DAY_MS = 24 * 60 * 60 * 1000
const MAX_SCOPES = 100
const MAX_NAME_LENGTH = 128

/** A key, as in the file. */
export interface ApiKeyRecord {
  readonly id: string
  readonly hash: string
  /** Keys with the same subject are one caller. */
  readonly subject: string
  readonly scopes: readonly string[]
  readonly claims?: Readonly<JsonObject>
  /** RFC 3339, in UTC. */
  readonly created: string
  readonly expires: string
  /** A name for people. */
  readonly name?: string
}

/** Names the entry and the expected value; quotes neither hashes nor claims. */
export class ApiKeyFileError extends Error {
  override name = 'ApiKeyFileError'
}

interface Field {
  readonly expected: string
  readonly isOptional?: boolean
  isValid(value: unknown): boolean
}

const isShortText = (value: unknown, max: number) =>
  typeof value === 'string' && value.length <= max && /^[^\p{Cc}\u2028\u2029]+$/u.test(value) && value.isWellFormed()

const FIELDS: Readonly<Record<keyof ApiKeyRecord, Field>> = {
  id: {
    expected: '4 to 32 small letters and digits',
    isValid: value => typeof value === 'string' && isApiKeyId(value),
  },
  hash: {
    expected: 'the SHA-256 of the key, as 64 hexadecimal digits in small letters',
    isValid: value => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  },
  subject: { expected: 'a text of 1 to 512 characters', isValid: isClaimText },
  scopes: {
    expected: `an array of at most ${MAX_SCOPES} scopes, such as ["prices:read"]`,
    isValid: value =>
      Array.isArray(value) &&
      value.length <= MAX_SCOPES &&
      value.every(scope => typeof scope === 'string' && SCOPE_TOKEN.test(scope)),
  },
  claims: {
    isOptional: true,
    expected: `an object of at most ${MAX_CLAIMS} claims and ${MAX_CLAIMS_LENGTH} characters, such as {"tenant":"acme"}`,
    isValid: value => isObject(value) && areClaims(value),
  },
  created: { expected: 'a time such as 2026-11-25T17:00:00Z', isValid: isTime },
  expires: { expected: 'a time such as 2027-02-23T17:00:00Z', isValid: isTime },
  name: {
    isOptional: true,
    expected: `a line of 1 to ${MAX_NAME_LENGTH} characters`,
    isValid: value => isShortText(value, MAX_NAME_LENGTH),
  },
}

/** The same rules as for claims of a token, since tools rely on them. */
function areClaims(claims: JsonObject): boolean {
  try {
    const names = Object.keys(claims).map(name => [name, name])
    if (names.length > 0) assertClaimNames(Object.fromEntries(names))
    freezeClaims(claims)
    return true
  } catch {
    // That error would mention a setting, or a token.
    return false
  }
}

const FIELD_NAMES = Object.keys(FIELDS)

/** @throws ApiKeyFileError */
export function parseApiKeys(bytes: Buffer): readonly ApiKeyRecord[] {
  const document = parseDocument(bytes)
  const keys = isObject(document) ? document['keys'] : undefined
  if (!isObject(document) || !Array.isArray(keys))
    throw new ApiKeyFileError('expected an object with the array "keys", as toolrack key create writes it')
  const other = Object.keys(document).find(name => name !== 'keys')
  if (other !== undefined) throw new ApiKeyFileError(`${quoteName(other)} is not known; expected "keys" alone`)
  if (keys.length > MAX_API_KEYS) throw new ApiKeyFileError(`expected at most ${MAX_API_KEYS} keys, not ${keys.length}`)
  const places = new Map<string, number>()
  return keys.map((entry, place) => {
    const record = parseEntry(entry, place)
    const former = places.get(record.id)
    if (former !== undefined)
      throw new ApiKeyFileError(`keys[${place}] (${record.id}): keys[${former}] has its id, too`)
    places.set(record.id, place)
    return record
  })
}

function parseDocument(bytes: Buffer): unknown {
  if (bytes.length > MAX_API_KEY_FILE_BYTES)
    throw new ApiKeyFileError(`expected at most ${MAX_API_KEY_FILE_BYTES / 2 ** 20} MiB`)
  try {
    return parseJson(bytes, { maxMembers: Number.POSITIVE_INFINITY })
  } catch (cause) {
    const isJson = cause instanceof McpError && cause.reason === 'INVALID_REQUEST'
    const fault = isJson ? cause.detail : 'expected JSON in UTF-8'
    throw new ApiKeyFileError(fault, { cause })
  }
}

function parseEntry(entry: unknown, place: number): ApiKeyRecord {
  if (!isObject(entry)) throw new ApiKeyFileError(`keys[${place}]: expected an object`)
  const { id } = entry
  const label = FIELDS.id.isValid(id) ? `keys[${place}] (${id})` : `keys[${place}]`
  for (const name of Object.keys(entry)) {
    if (Object.hasOwn(FIELDS, name)) continue
    const meant = findNearestName(name, FIELD_NAMES)
    const hint = meant === undefined ? `expected ${FIELD_NAMES.join(', ')}` : `did you mean ${meant}?`
    throw new ApiKeyFileError(`${label}: ${quoteName(name)} is not known; ${hint}`)
  }
  const fault = findApiKeyFault(entry)
  if (fault !== undefined) throw new ApiKeyFileError(`${label}: ${fault.field}: expected ${fault.expected}`)
  return entry as unknown as ApiKeyRecord
}

export interface ApiKeyFault {
  readonly field: string
  readonly expected: string
}

/** The first member that is not valid. */
export function findApiKeyFault(entry: object): ApiKeyFault | undefined {
  const values = entry as Readonly<Record<string, unknown>>
  for (const [field, { expected, isOptional = false, isValid }] of Object.entries(FIELDS)) {
    const value = values[field]
    if (value === undefined ? !isOptional : !isValid(value)) return { field, expected }
  }
  const lifetimeMs = Date.parse(values['expires'] as string) - Date.parse(values['created'] as string)
  if (lifetimeMs <= 0) return { field: 'expires', expected: 'a time after created' }
  if (lifetimeMs > MAX_API_KEY_DAYS * DAY_MS)
    return { field: 'expires', expected: `at most ${MAX_API_KEY_DAYS} days after created` }
  return undefined
}

const MAX_SHOWN = 40
const quoteName = (name: string) => JSON.stringify(cutText(name, MAX_SHOWN))

/** Must be in UTC, and the day must exist: Date.parse accepts 30 February. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(value)) return false
  const ms = Date.parse(value)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value.slice(0, 19))
}
