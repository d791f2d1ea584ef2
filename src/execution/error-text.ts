// Converts a thrown value to one line without stack or cause; formats both for the log.
import { pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { cleanText } from '../registry/clean-text.ts'
import { ToolError } from '../registry/content.ts'
import type { Mask } from './mask.ts'

/** Longest error text for a client, characters. */
export const MAX_ERROR_TEXT = 2000
// Longer texts are cut before they are masked, so that masking is bounded.
const MAX_RAW_TEXT = 10_000
/** Longest part of a token or path that may remain where a text was cut, characters. */
const MAX_CUT_SECRET = 500
const WITHOUT_MESSAGE = 'The tool failed without a message'

export function errorText(thrown: unknown, mask: Mask): string {
  const whole = readErrorMessage(thrown)
  // The mask does not recognise half a secret, so a possible half at the end is dropped.
  const half = Math.max(mask.longest ?? 0, MAX_CUT_SECRET)
  const masked = mask(
    cleanText(whole.slice(0, MAX_RAW_TEXT + half))
      .replace(/\s+/g, ' ')
      .trim(),
  )
  const isWhole = whole.length <= MAX_RAW_TEXT + half
  return truncate((isWhole ? masked : dropEnd(masked, half)) || WITHOUT_MESSAGE, MAX_ERROR_TEXT)
}

const dropEnd = (text: string, length: number) => (text.length > length ? `${text.slice(0, -length)}…` : '')

/** Cuts to `length` characters, and keeps no half of a surrogate pair. */
export function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** An error that is safe to read: other values, such as a proxy, may throw on any access. */
export function asError(thrown: unknown): Error {
  // Without a stack, which would point to this line.
  return types.isNativeError(thrown) ? thrown : Object.assign(new Error(readErrorMessage(thrown)), { stack: '' })
}

/** The full, unmasked message. A message may be a getter that throws, an object may be a proxy. */
export function readErrorMessage(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (typeof thrown === 'object' && thrown !== null) {
      const { message } = thrown as { message?: unknown }
      return typeof message === 'string' ? message : WITHOUT_MESSAGE
    }
    // The text of a function would be its source.
    return typeof thrown === 'function' || thrown === undefined || thrown === null ? '' : String(thrown as string)
  } catch {
    return 'The tool failed with an error that cannot be read'
  }
}

/** Whether the error's author wrote its text for the model. */
export const isToolError = (thrown: unknown): boolean => isNamedError(thrown, 'ToolError')

/** Also true if the client answered a question with an error: the handler did nothing wrong. */
export const isExpected = (thrown: unknown): boolean => isToolError(thrown) || isNamedError(thrown, 'Refused')

// By name, since errors from a worker or another copy of the package have another class.
function isNamedError(thrown: unknown, name: 'ToolError' | 'Refused'): boolean {
  try {
    return (name === 'ToolError' && thrown instanceof ToolError) || (thrown instanceof Error && thrown.name === name)
  } catch {
    return false
  }
}

const MAX_ERROR_NAME = 100

export function readErrorName(thrown: unknown): string {
  try {
    const { name } = thrown as { name?: unknown }
    return typeof name === 'string' ? name.slice(0, MAX_ERROR_NAME) : 'Error'
  } catch {
    return 'Error'
  }
}

const MAX_CAUSES = 3
const MAX_STACK_LENGTH = 10_000
/** Frames per error, and characters per frame; longer frames are omitted, so that none is cut. */
const MAX_FRAMES = 20
const MAX_FRAME_LENGTH = 500

export interface ErrorOrigin {
  /** File, line and column. */
  readonly at?: string
  readonly causes?: readonly string[]
}

export function findErrorOrigin(thrown: unknown, mask: Mask): ErrorOrigin {
  const at = isToolError(thrown) ? undefined : findThrowSite(thrown)
  const causes = readCauses(thrown).map(cause => errorText(cause, mask))
  return { ...(at !== undefined && { at: mask(at) }), ...(causes.length > 0 && { causes }) }
}

/** The first frame in the author's own code. */
function findThrowSite(thrown: unknown): string | undefined {
  for (const line of readStackFrames(thrown)) {
    const isOwn = !/node:|[/\\]node_modules[/\\]/.test(line)
    const place = isOwn ? /:\d{1,7}:\d{1,7}(?=\)?$)/.exec(line) : null
    if (place !== null) return `${toFileName(line.slice(0, place.index))}${place[0]}`
  }
  return undefined
}

function readStackFrames(thrown: unknown): string[] {
  const stack = readStack(thrown)
  // The stack starts with the message, which may be long or look like a frame.
  const message = readErrorMessage(thrown)
  const at = stack.indexOf(message)
  const frames = at < 0 ? stack : stack.slice(at + message.length)
  return frames
    .slice(0, MAX_STACK_LENGTH)
    .split('\n')
    .filter(line => line.startsWith('    at '))
}

interface Masks {
  readonly mask: Mask
  /** Masks secrets but keeps paths. */
  readonly secretMask: Mask
}

/** Formats the stack and those of its causes, with paths relative to the working directory. */
export function formatStackTrace(thrown: unknown, masks: Masks): string {
  const [first = '', ...causes] = [thrown, ...readCauses(thrown)].map(each => formatOneStack(each, masks))
  return [first, ...causes.map(text => `Caused by: ${text}`)].join('\n')
}

function formatOneStack(thrown: unknown, { mask, secretMask }: Masks): string {
  const frames = readStackFrames(thrown)
    .filter(line => line.length <= MAX_FRAME_LENGTH)
    .slice(0, MAX_FRAMES)
    .map(line => secretMask(toRelativeFrame(cleanText(line))))
  return [`${mask(readErrorName(thrown))}: ${errorText(thrown, mask)}`, ...frames].join('\n')
}

// Drops the query with which the module was loaded.
function toRelativeFrame(frame: string): string {
  const folder = process.cwd()
  return frame
    .replace(`${pathToFileURL(folder).href}/`, '')
    .replace(`${folder}/`, '')
    .replace(/\?[^\s:)]*/, '')
}

/** The file name without folders and query. */
const toFileName = (path: string) =>
  path
    .split(/[/\\( ]/)
    .at(-1)!
    .split('?', 1)[0]!

/** The stack may be a getter that throws, or no string. */
export function readStack(thrown: unknown): string {
  try {
    const stack: unknown = types.isNativeError(thrown) ? thrown.stack : undefined
    return typeof stack === 'string' ? stack : ''
  } catch {
    return ''
  }
}

export function readCauses(thrown: unknown): unknown[] {
  const causes: unknown[] = []
  try {
    let { cause } = Object(thrown) as { cause?: unknown }
    while (cause !== undefined && causes.length < MAX_CAUSES) {
      causes.push(cause)
      cause = (Object(cause) as { cause?: unknown }).cause
    }
  } catch {
    // An unreadable cause is ignored.
  }
  return causes
}
