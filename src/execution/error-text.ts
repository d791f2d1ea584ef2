// Whatever a handler threw → one line that may be shown. Never a stack, never a cause.
import { pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { cleanText } from '../registry/clean-text.ts'
import { ToolError } from '../registry/content.ts'
import type { Mask } from './mask.ts'

/** Longest error text that a client is shown, in characters. */
export const MAX_ERROR_TEXT = 2000
// Longer texts are cut before they are searched, so that masking has a bound too.
const MAX_RAW_TEXT = 10_000
/** Most of a token, or of a path, that may be left where a text was cut, in characters. */
const MAX_CUT_SECRET = 500
const WITHOUT_MESSAGE = 'The tool failed without a message'

export function errorText(thrown: unknown, mask: Mask): string {
  const whole = readErrorMessage(thrown)
  // Half a secret is none that the mask knows: what may be one is masked with its end, or left out.
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

/** At most `length` characters, and no half of one at the end. */
export function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/**
 * An error that is safe to look at: what is none, such as a proxy, may throw wherever it is
 * touched.
 */
export function asError(thrown: unknown): Error {
  // Without a stack: it would be the one of this line.
  return types.isNativeError(thrown) ? thrown : Object.assign(new Error(readErrorMessage(thrown)), { stack: '' })
}

/**
 * What is thrown says, uncut and unmasked. Messages may be getters that throw, and objects may be
 * proxies.
 */
export function readErrorMessage(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (typeof thrown === 'object' && thrown !== null) {
      const { message } = thrown as { message?: unknown }
      return typeof message === 'string' ? message : WITHOUT_MESSAGE
    }
    // The text of a function is its source.
    return typeof thrown === 'function' || thrown === undefined || thrown === null ? '' : String(thrown as string)
  } catch {
    return 'The tool failed with an error that cannot be read'
  }
}

/** Whether the author meant the text for the model. */
export const isToolError = (thrown: unknown): boolean => isNamedError(thrown, 'ToolError')

/** The same, or that the client has answered a question with an error: no fault of the handler. */
export const isExpected = (thrown: unknown): boolean => isToolError(thrown) || isNamedError(thrown, 'Refused')

// By its name: of an error that comes from a thread, or of another copy of this package, the class
// is another.
function isNamedError(thrown: unknown, name: 'ToolError' | 'Refused'): boolean {
  try {
    return (name === 'ToolError' && thrown instanceof ToolError) || (thrown instanceof Error && thrown.name === name)
  } catch {
    return false
  }
}

const MAX_ERROR_NAME = 100

/** The name of what was thrown, such as TypeError. */
export function readErrorName(thrown: unknown): string {
  try {
    const { name } = thrown as { name?: unknown }
    return typeof name === 'string' ? name.slice(0, MAX_ERROR_NAME) : 'Error'
  } catch {
    return 'Error'
  }
}

// What the log says of a throw beside its text, for who wrote the tool: where it was thrown, and
// what had caused it. One line of each, masked. A stack, which names the folders of the machine, is
// only for who debugs.

const MAX_CAUSES = 3
const MAX_STACK_LENGTH = 10_000
/**
 * Frames of one error that are shown, and how long each may be; a longer one is left out, so that
 * none is cut.
 */
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

/** The first place in code of the author's own. */
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
  // The message comes first, and may be longer than what is looked at, or look like a frame.
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
  /** Takes secrets out and leaves paths. */
  readonly secretMask: Mask
}

/** The stack, and those of what had caused it; paths are relative to the working directory. */
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

// As an author finds them, without the query by which a file is read again.
function toRelativeFrame(frame: string): string {
  const folder = process.cwd()
  return frame
    .replace(`${pathToFileURL(folder).href}/`, '')
    .replace(`${folder}/`, '')
    .replace(/\?[^\s:)]*/, '')
}

/** Of a file, without its folders and without the query by which it was read again. */
const toFileName = (path: string) =>
  path
    .split(/[/\\( ]/)
    .at(-1)!
    .split('?', 1)[0]!

/** A stack may be a getter that throws, or anything else. */
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
    // What cannot be read is no cause.
  }
  return causes
}
