// Converts a thrown value to one line without stack or cause; formats both for the log.
import { pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { ToolError } from '../registry/content.ts'
import { cleanLine, cleanText } from '../text/clean.ts'
import { cutText } from '../text/one-line.ts'
import { omitRepeated, readCauses, readErrorMessage, readErrorName, readStack } from '../text/thrown.ts'
import type { Mask } from './mask.ts'

/** Longest error text for a client, characters. */
export const MAX_ERROR_TEXT = 2000
// Longer texts are cut before they are masked, so that masking is bounded.
const MAX_RAW_TEXT = 10_000
/** Longest part of a token or path that may remain where a text was cut, characters. */
const MAX_CUT_SECRET = 500
const WITHOUT_MESSAGE = 'The tool failed without a message'

export function errorText(thrown: unknown, mask: Mask): string {
  const text = cutMasked(readErrorMessage(thrown), MAX_RAW_TEXT, cleanLine, mask)
  return cutText(text || WITHOUT_MESSAGE, MAX_ERROR_TEXT)
}

/** Cleans and masks the first `length` characters or a few more. */
export function cutMasked(text: string, length: number, clean: (text: string) => string, mask: Mask): string {
  // The mask does not recognise half a secret. So a possible half at the end is dropped.
  const half = Math.max(mask.longest ?? 0, MAX_CUT_SECRET)
  const masked = mask(clean(text.slice(0, length + half)))
  return text.length <= length + half ? masked : dropEnd(masked, half)
}

const dropEnd = (text: string, length: number) => (text.length > length ? `${text.slice(0, -length)}…` : '')

export interface Masks {
  readonly mask: Mask
  /** Hides secrets, but keeps paths. */
  readonly secretMask: Mask
}

/**
 * The text for the client. The author of a ToolError wrote its text for the model, so its paths
 * stay.
 */
export const toClientText = (thrown: unknown, { mask, secretMask }: Masks): string =>
  errorText(thrown, isToolError(thrown) ? secretMask : mask)

/** The text and the texts of its causes, for a developer. */
export function toDeveloperText(thrown: unknown, masks: Masks): string {
  const texts = [thrown, ...readCauses(thrown)].map(each => toClientText(each, masks))
  return cutText(omitRepeated([...new Set(texts)]).join(': '), MAX_ERROR_TEXT)
}

/** Whether the error's author wrote its text for the model. */
export const isToolError = (thrown: unknown): boolean => isNamedError(thrown, 'ToolError')

/** Also true if the client answered a question with an error: the handler did nothing wrong. */
export const isExpected = (thrown: unknown): boolean => isToolError(thrown) || isNamedError(thrown, 'Refused')

// By name, since an error from a worker or another copy of the package has another class.
function isNamedError(thrown: unknown, name: 'ToolError' | 'Refused'): boolean {
  try {
    return (
      (name === 'ToolError' && thrown instanceof ToolError) || (types.isNativeError(thrown) && thrown.name === name)
    )
  } catch {
    return false
  }
}

const MAX_STACK_LENGTH = 10_000
/** Causes whose stacks are formatted. */
const MAX_CAUSE_STACKS = 3
/** Frames per error, and characters per frame. Longer frames are left out whole. */
const MAX_FRAMES = 20
const MAX_FRAME_LENGTH = 500

export interface ErrorOrigin {
  /** File, line and column. */
  readonly at?: string
  readonly causes?: readonly string[]
}

export function findErrorOrigin(thrown: unknown, mask: Mask): ErrorOrigin {
  const at = isToolError(thrown) ? undefined : findThrowSite(thrown)
  const causes = omitRepeated(readCauses(thrown).map(cause => errorText(cause, mask)))
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

/** Formats the stack and those of its causes, with paths relative to the working directory. */
export function formatStackTrace(thrown: unknown, masks: Masks): string {
  const causes = readCauses(thrown).slice(0, MAX_CAUSE_STACKS)
  const [first = '', ...others] = [thrown, ...causes].map(each => formatOneStack(each, masks))
  return [first, ...others.map(text => `Caused by: ${text}`)].join('\n')
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
