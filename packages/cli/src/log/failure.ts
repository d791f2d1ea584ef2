// A thrown value as a paragraph for people: the message, the frames of the author's own code, then
// the causes. Frames of Node, of packages and of this server are only counted.

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getPackageFile } from 'toolrack/settings'
import { toOneLine } from 'toolrack/text'
import { type Entry, formatLevel, type LogLine, type Paint } from './line.ts'

const WARN = 40
/** Lines about handlers. For a ToolError, they have a reason instead of an error. */
const OF_HANDLERS: ReadonlySet<unknown> = new Set(['tool threw', 'tool failed', 'handler failed'])

export const isFailure = ({ msg, err }: LogLine): boolean =>
  OF_HANDLERS.has(msg) || (typeof err === 'object' && err !== null)

export function formatFailure(line: LogLine, paint: Paint): Entry {
  const { msg = '', err, reason, tool, file, name, before } = line
  const { stack, message } = (err ?? {}) as { readonly stack?: string; readonly message?: string }
  const subject = [tool, file, name].find(each => typeof each === 'string')
  const [first, ...others] = toErrors(stack ?? message ?? String(reason))
  const title = subject === undefined ? msg : toTitle(msg, String(subject))
  const more = typeof before === 'number' ? ` ${paint('dim', `(${before} more before it)`)}` : ''
  const head = `${formatLevel(line, paint)}${toOneLine(title)}: ${paint('bold', first?.message ?? '')}${more}`
  if (err === undefined) return { lines: [head, ...listReasons(line)] }
  // The same error was written within the last seconds.
  if (line.level < WARN) return { lines: [head] }
  const lines = [first, ...others].flatMap((error, at) => [
    ...(at === 0 ? [] : [error!.message]),
    ...formatFrames(error?.frames ?? [], paint),
  ])
  return { lines: [head, ...lines] }
}

/** Why a ToolError was thrown; it has no stack. */
const listReasons = ({ causes }: LogLine): string[] =>
  Array.isArray(causes) ? causes.map(cause => toOneLine(`caused by ${String(cause)}`)) : []

/** `tool threw` → `create_note threw`. */
const toTitle = (msg: string, subject: string) =>
  OF_HANDLERS.has(msg) ? msg.replace(/^\w+/, () => subject) : `${msg}, ${subject}`

interface ShownError {
  readonly message: string
  readonly frames: readonly string[]
}

function toErrors(stack: string): ShownError[] {
  const errors: { message: string; frames: string[] }[] = []
  for (const line of stack.split('\n')) {
    const frame = /^\s+at (.*)$/.exec(line)?.[1]
    if (frame !== undefined && errors.length > 0) errors.at(-1)!.frames.push(toOneLine(frame))
    else if (/\S/.test(line)) errors.push({ message: toOneLine(line).trim(), frames: [] })
  }
  return errors
}

function formatFrames(frames: readonly string[], paint: Paint): string[] {
  const own = frames.filter(isOwn)
  const folded = frames.length - own.length
  const count = `${folded} frame${folded === 1 ? '' : 's'} of Node, packages and the server`
  return [
    ...own.map((frame, at) => `  at ${at === 0 ? frame : paint('dim', frame)}`),
    ...(folded === 0 ? [] : [`  ${paint('dim', own.length === 0 ? count : `and ${count}`)}`]),
  ]
}

const OF_OTHERS = /node:|[/\\]?node_modules[/\\]|^(?:async )?\w+ \(<anonymous>\)|<anonymous>\)?$/
const ROOT = fileURLToPath(new URL('.', getPackageFile()))
const OF_SERVER = /^(?:(?:packages[/\\][^/\\]+[/\\])?src|dist|plugins|routes)[/\\]/

function isOwn(frame: string): boolean {
  if (OF_OTHERS.test(frame)) return false
  const [, place = frame.replace(/^async /, '')] = /\((.*)\)$/.exec(frame) ?? []
  const path = place.startsWith('file:') ? fileURLToPath(place) : resolve(place)
  return !(path.startsWith(ROOT) && OF_SERVER.test(path.slice(ROOT.length)))
}
