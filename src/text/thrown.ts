// Reads any thrown value: its text, its name, its causes. A proxy or a getter may throw on any access.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { types } from 'node:util'

const UNREADABLE = 'The tool failed with an error that cannot be read'
/** Messages of the engine itself; the errors within say more. */
const MESSAGES_OF_ENGINE = new Set(['All promises were rejected', 'An error was suppressed during disposal'])
/** Levels of causes, and of errors within errors, that are read. */
export const MAX_LEVELS = 3
/** Errors within one error that its text names. */
const MAX_NAMED = 5

/**
 * The full, unmasked text. Uses the first that exists: the message or a similar member, the errors
 * within (`AggregateError`, `SuppressedError`, `{ code, error }`), the cause, the code, the status
 * of a response, the name.
 *
 * @returns an empty text if it has none of these
 */
export const readErrorMessage = (thrown: unknown): string => readSafely(thrown, MAX_LEVELS)

function readSafely(thrown: unknown, levels: number): string {
  try {
    return readText(thrown, levels)
  } catch {
    return UNREADABLE
  }
}

function readText(thrown: unknown, levels: number): string {
  // As text, a function would be its source.
  if (typeof thrown === 'function' || thrown === undefined || thrown === null) return ''
  if (typeof thrown !== 'object') return String(thrown as string)
  const own = readOwnText(thrown)
  if (own !== '' && !MESSAGES_OF_ENGINE.has(own)) return own
  const within = levels === 0 ? '' : readTextsWithin(thrown, levels - 1)
  if (own !== '') return [own, within].filter(Boolean).join(': ')
  const code = readCode(thrown)
  if (within === '') return code || readStatus(thrown) || readOwnName(thrown)
  return within.includes(code) ? within : `${within} (${code})`
}

/** Members with a text about a failure, best first: of errors, RFC 9457, RFC 6749, close events. */
const OWN_TEXTS = ['message', 'detail', 'error_description', 'reason', 'title']

function readOwnText(thrown: object): string {
  for (const name of OWN_TEXTS) {
    const text = (thrown as Record<string, unknown>)[name]
    if (typeof text === 'string' && /[^\s\p{Cc}\p{Cf}]/u.test(text)) return text
  }
  return ''
}

function readTextsWithin(thrown: object, levels: number): string {
  const errors = listWithin(thrown)
  const within = errors.length > 0 ? errors : [(thrown as { cause?: unknown }).cause]
  const texts = within.slice(0, MAX_NAMED).map(each => readSafely(each, levels))
  const more = within.length > MAX_NAMED ? [`and ${within.length - MAX_NAMED} more`] : []
  return [...new Set([...texts, ...more])].filter(Boolean).join('; ')
}

const MAX_WITHIN = 1000

/** The errors of an `AggregateError`. For a `SuppressedError`, the earlier error comes first. */
function listWithin(thrown: object): readonly unknown[] {
  const { errors, suppressed, error } = thrown as { errors?: unknown; suppressed?: unknown; error?: unknown }
  if (Array.isArray(errors)) return errors.slice(0, MAX_WITHIN).filter(each => each !== undefined && each !== null)
  return [suppressed, error].filter(each => typeof each === 'string' || (typeof each === 'object' && each !== null))
}

function readCode(thrown: object): string {
  // Its code is an old-style number.
  if (thrown instanceof DOMException) return ''
  const { code } = thrown as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? String(code) : ''
}

function readStatus(thrown: object): string {
  const { status, statusText, statusCode, statusMessage, url } = thrown as Partial<Response & IncomingMessage>
  const [code, phrase] = [status ?? statusCode, statusText ?? statusMessage]
  if (typeof code !== 'number' || typeof phrase !== 'string') return ''
  const host = typeof url === 'string' ? URL.parse(url)?.host : undefined
  // HTTP/2 sends no text.
  const text = `HTTP ${code} ${phrase || (STATUS_CODES[code] ?? '')}`.trim()
  return host ? `${text} from ${host}` : text
}

function readOwnName(thrown: object): string {
  const { name, constructor: maker } = thrown as { name?: unknown; constructor?: unknown }
  if (typeof name === 'string' && name !== 'Error') return name
  const isNamedByClass = types.isNativeError(thrown) && typeof maker === 'function' && maker.name !== 'Error'
  return isNamedByClass ? maker.name : ''
}

export interface ErrorMembers {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

/** The members of an error that a log shows. */
export function readErrorMembers(error: object, hasCauses: boolean): ErrorMembers {
  const members = { name: readErrorName(error), message: readErrorMessage(error) }
  try {
    const { cause } = error as { cause?: unknown }
    const code = readCode(error)
    const errors = listWithin(error).slice(0, MAX_CAUSES)
    return {
      ...members,
      ...(code !== '' && { code }),
      ...(hasCauses && cause !== undefined && { cause }),
      ...(hasCauses && errors.length > 0 && { errors }),
    }
  } catch {
    return members
  }
}

const MAX_NAME_LENGTH = 100

export function readErrorName(thrown: unknown): string {
  try {
    const { name } = thrown as { name?: unknown }
    return typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : 'Error'
  } catch {
    return 'Error'
  }
}

/** The stack may be a getter that throws, or not a string. */
export function readStack(thrown: unknown): string {
  try {
    const stack: unknown = types.isNativeError(thrown) ? thrown.stack : undefined
    return typeof stack === 'string' ? stack : ''
  } catch {
    return ''
  }
}

/** Maximum number of causes of one error on all levels. */
export const MAX_CAUSES = 10

/** The causes, and the errors within, nearest first: at most ten, on three levels. */
export function readCauses(thrown: unknown): unknown[] {
  const causes: unknown[] = []
  let level = readDirectCauses(thrown)
  for (let depth = 0; depth < MAX_LEVELS; depth++) {
    causes.push(...level)
    level = level.flatMap(readDirectCauses)
  }
  return causes.slice(0, MAX_CAUSES)
}

/** At most ten. An unreadable cause is ignored. */
export function readDirectCauses(thrown: unknown): unknown[] {
  try {
    if (typeof thrown !== 'object' || thrown === null) return []
    const { cause } = thrown as { cause?: unknown }
    return [...(cause === undefined || cause === null ? [] : [cause]), ...listWithin(thrown)].slice(0, MAX_CAUSES)
  } catch {
    return []
  }
}

/** The message and those of its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:1`. */
export function explainError(error: unknown): string {
  const texts = [error, ...readCauses(error)].map(readErrorMessage).filter(Boolean)
  return omitRepeated([...new Set(texts)]).join(': ')
}

/** Leaves out a text that a longer text before it contains. */
export const omitRepeated = (texts: readonly string[]): string[] =>
  texts.filter((text, at) => !texts.slice(0, at).some(earlier => earlier !== text && earlier.includes(text)))
