// What the log says of a throw beside its text, for who wrote the tool: where it was thrown, and what had caused it.
// One line of each, masked: the log is no place for a stack, which names every folder of the machine.
import { types } from 'node:util'
import { errorText, isToolError } from './error-text.ts'
import type { Mask } from './mask.ts'

const MAX_CAUSES = 3
const MAX_STACK = 10_000

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
  for (const line of stackOf(thrown).slice(0, MAX_STACK).split('\n')) {
    const isOwn = line.startsWith('    at ') && !/node:|[/\\]node_modules[/\\]/.test(line)
    const place = isOwn ? /:\d{1,7}:\d{1,7}(?=\)?$)/.exec(line) : null
    if (place !== null) return `${nameIn(line.slice(0, place.index))}${place[0]}`
  }
  return undefined
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

function causesOf(thrown: unknown): unknown[] {
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
