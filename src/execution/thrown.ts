// What the log says of a throw beside its text, for who wrote the tool: where it was thrown, and what had caused it.
// One line of each, masked. A stack, which names the folders of the machine, is only for who debugs.
import { pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { cleanText } from '../registry/clean.ts'
import { errorText, isToolError, messageOf, nameOf } from './error-text.ts'
import type { Mask } from './mask.ts'

const MAX_CAUSES = 3
const MAX_STACK = 10_000
/** Frames of one error that are shown, and how long each may be; a longer one is left out, so that none is cut. */
const MAX_FRAMES = 20
const MAX_FRAME = 500

export interface Origin {
  /** File, line and column. */
  readonly at?: string
  readonly causes?: readonly string[]
}

export function originOf(thrown: unknown, mask: Mask): Origin {
  const at = isToolError(thrown) ? undefined : placeOf(thrown)
  const causes = causesOf(thrown).map(cause => errorText(cause, mask))
  return { ...(at !== undefined && { at: mask(at) }), ...(causes.length > 0 && { causes }) }
}

/** The first place in code of the author's own. */
function placeOf(thrown: unknown): string | undefined {
  for (const line of framesOf(thrown)) {
    const isOwn = !/node:|[/\\]node_modules[/\\]/.test(line)
    const place = isOwn ? /:\d{1,7}:\d{1,7}(?=\)?$)/.exec(line) : null
    if (place !== null) return `${nameIn(line.slice(0, place.index))}${place[0]}`
  }
  return undefined
}

function framesOf(thrown: unknown): string[] {
  const stack = stackOf(thrown)
  // The message comes first, and may be longer than what is looked at, or look like a frame.
  const message = messageOf(thrown)
  const at = stack.indexOf(message)
  const frames = at < 0 ? stack : stack.slice(at + message.length)
  return frames
    .slice(0, MAX_STACK)
    .split('\n')
    .filter(line => line.startsWith('    at '))
}

interface Masks {
  readonly mask: Mask
  /** Takes secrets out and leaves paths. */
  readonly secretMask: Mask
}

/** The stack, and those of what had caused it; paths are relative to the working directory. */
export function stackTextOf(thrown: unknown, masks: Masks): string {
  const [first = '', ...causes] = [thrown, ...causesOf(thrown)].map(each => textOfStack(each, masks))
  return [first, ...causes.map(text => `Caused by: ${text}`)].join('\n')
}

function textOfStack(thrown: unknown, { mask, secretMask }: Masks): string {
  const frames = framesOf(thrown)
    .filter(line => line.length <= MAX_FRAME)
    .slice(0, MAX_FRAMES)
    .map(line => secretMask(relative(cleanText(line))))
  return [`${mask(nameOf(thrown))}: ${errorText(thrown, mask)}`, ...frames].join('\n')
}

// As an author finds them, without the query by which a file is read again.
function relative(frame: string): string {
  const folder = process.cwd()
  return frame
    .replace(`${pathToFileURL(folder).href}/`, '')
    .replace(`${folder}/`, '')
    .replace(/\?[^\s:)]*/, '')
}

/** Of a file, without its folders and without the query by which it was read again. */
const nameIn = (path: string) =>
  path
    .split(/[/\\( ]/)
    .at(-1)!
    .split('?', 1)[0]!

/** A stack may be a getter that throws, or anything else. */
export function stackOf(thrown: unknown): string {
  try {
    const stack: unknown = types.isNativeError(thrown) ? thrown.stack : undefined
    return typeof stack === 'string' ? stack : ''
  } catch {
    return ''
  }
}

export function causesOf(thrown: unknown): unknown[] {
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
