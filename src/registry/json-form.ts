// One level of JSON: what it makes of dates, maps, sets, bigints and instances of classes. It does not
// convert the values within.
import { types } from 'node:util'
import { isThenable } from '../request/maybe-promise.ts'

/** The fault of a value, such as `is a promise`, and what to write instead. */
export interface Loss {
  readonly what: string
  readonly fix?: string
  /** The text that a log writes in its place. */
  readonly text?: string
}

/** Returns the replacement for a value that JSON would lose, or throws. */
export type Lose = (loss: Loss) => unknown

/**
 * One level of what JSON writes: a text, a finite number, a boolean, null, an array, or an object whose
 * members are still to be converted.
 *
 * @param key of the value, which `toJSON` gets
 * @returns undefined if JSON leaves the value out
 */
export function toJsonForm(value: unknown, key: string, lose: Lose): unknown {
  const written = callToJson(value, key, lose)
  switch (typeof written) {
    case 'string':
    case 'boolean':
      return written
    case 'number':
      return Number.isFinite(written) ? written + 0 : lose({ what: `is ${written}`, text: String(written) })
    case 'bigint':
      return Number.isSafeInteger(Number(written)) ? Number(written) : String(written)
    case 'object':
      return written === null ? null : toObjectForm(written, lose)
    default:
      return undefined
  }
}

function callToJson(value: unknown, key: string, lose: Lose): unknown {
  if (value === null || value === undefined) return value
  if (isBytes(value)) return lose(BYTES)
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON !== 'function') return value
  const written: unknown = toJSON.call(value, key)
  return written === null && types.isDate(value) ? lose({ what: 'is an invalid date' }) : written
}

function toObjectForm(value: object, lose: Lose): unknown {
  if (types.isBoxedPrimitive(value)) return toJsonForm(value.valueOf(), '', lose)
  if (types.isSet(value)) return [...value]
  if (Array.isArray(value)) return value
  if (types.isMap(value)) return nameKeys(value, lose)
  const loss = findLoss(value)
  return loss === undefined ? value : lose(loss)
}

function nameKeys(map: ReadonlyMap<unknown, unknown>, lose: Lose): unknown {
  const named = new Map<string, unknown>()
  for (const [key, value] of map) {
    if (!NAMES.has(typeof key)) return lose({ what: 'has a key that is neither a text nor a number' })
    const name = String(key)
    if (named.has(name)) return lose({ what: `has two keys that become ${JSON.stringify(name)}` })
    named.set(name, value)
  }
  return Object.fromEntries(named)
}

/** Types whose values are keys of JSON, as texts. */
const NAMES = new Set(['string', 'number', 'bigint', 'boolean'])

const isBytes = (value: unknown): boolean =>
  ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value) || value instanceof Blob

const BYTES = { what: 'is bytes', fix: "return them by file(), or as toString('base64')" }

/** Finds out whether JSON would drop all of an object, or its important part. */
function findLoss(value: object): Loss | undefined {
  if (isThenable(value)) return { what: 'is a promise', fix: 'await it' }
  if (isError(value)) return { what: 'is an error', fix: 'throw it, or return its message' }
  if (Object.keys(value).length > 0) return undefined
  const type = findClass(value)
  return type === undefined
    ? undefined
    : {
        what: `is of the class ${type}; JSON would keep nothing of it`,
        ...(types.isRegExp(value) && { text: String(value) }),
      }
}

/** The fix for an object that is not plain. Many database drivers make rows of a class. */
export function findPlainFix(value: object): string {
  if (isBytes(value)) return BYTES.fix
  const { toJSON } = value as { toJSON?: unknown }
  const hasForm =
    typeof toJSON === 'function' || types.isMap(value) || types.isSet(value) || types.isBoxedPrimitive(value)
  const loss = hasForm ? undefined : findLoss(value)
  return loss === undefined ? JSON_FIX : (loss.fix ?? 'JSON keeps nothing of it')
}

export const JSON_FIX = 'use json(value)'

export const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error

/** The name of its class; undefined for a plain object, also of another realm. */
function findClass(value: object): string | undefined {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (tag !== 'Object') return tag
  const { constructor: made } = value as { constructor?: unknown }
  return typeof made === 'function' && made.name !== 'Object' ? made.name : undefined
}
