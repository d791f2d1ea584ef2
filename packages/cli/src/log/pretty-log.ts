// The log for people. Each line of JSON becomes a line of text: one per request, and a paragraph for
// a failure. It leaves out arguments and ids, which are in the lines of JSON.

import { styleText } from 'node:util'
import { toOneLine } from 'toolrack/text'
import { formatFailure, isFailure } from './failure.ts'
import { type Entry, formatLevel, type LogLine, type Paint } from './line.ts'
import { formatRequest, isRequestLine } from './request.ts'

/** @param hasColour whether to write styles */
export class PrettyLog {
  readonly #paint: Paint
  /** The last quiet line, and how often it was repeated. */
  #last = ''
  #repeats = 0

  constructor({ hasColour }: { readonly hasColour: boolean }) {
    this.#paint = hasColour ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text
  }

  /** @returns '' for a line that repeats other lines */
  format(json: string): string {
    const line = parseLine(json)
    if (line === undefined) return json
    const entry = toEntry(line, this.#paint)
    if (entry === undefined) return ''
    const { lines, isQuiet = false } = entry
    const key = isQuiet ? lines.join('\n').replace(FIGURES, '') : ''
    if (isQuiet && key === this.#last) {
      this.#repeats++
      return ''
    }
    const repeated = this.#takeRepeats()
    this.#last = key
    return repeated + this.#write(line.time, lines, isQuiet)
  }

  #write(timeMs: number, [first = '', ...others]: readonly string[], isQuiet: boolean): string {
    const time = this.#paint('dim', formatTime(timeMs))
    const rest = others.map(text => `${INDENT}${text}\n`).join('')
    return `${time} ${isQuiet ? this.#paint('dim', first) : first}\n${rest}`
  }

  #takeRepeats(): string {
    const text = this.#repeats === 0 ? '' : `${INDENT}${this.#paint('dim', `${this.#repeats} more of these`)}\n`
    this.#repeats = 0
    return text
  }
}

/** Fields that differ when a request is repeated. */
const FIGURES = / (?:<|\d).*$/

const INDENT = ' '.repeat('11:30:42 '.length)

function formatTime(timeMs: number): string {
  const date = new Date(timeMs)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')
}

/** @returns undefined unless the text is a line of the log */
function parseLine(json: string): LogLine | undefined {
  try {
    const line = JSON.parse(json) as unknown
    return typeof line === 'object' && line !== null ? (line as LogLine) : undefined
  } catch {
    return undefined
  }
}

/** Events of the audit that also have a line in the log. */
const SAID_BY_LOG: ReadonlySet<unknown> = new Set([
  'api-key-added',
  'api-key-changed',
  'api-key-ended',
  'issuers-changed',
  'reload',
  'secret-renewed',
  'tools-changed',
])
const DEBUG = 20
const WARN = 40

function toEntry(line: LogLine, paint: Paint): Entry | undefined {
  // At this level, the audit has the same line.
  if (line.msg === 'served' && line.level <= DEBUG) return undefined
  if (SAID_BY_LOG.has(line['event'])) return undefined
  if (isRequestLine(line)) return formatRequest(line, paint)
  if (line.msg === 'tool log') return formatToolLog(line, paint)
  if (isFailure(line)) return formatFailure(line, paint)
  if (line.msg === 'refused') return formatRefusal(line, paint)
  return formatOther(line, paint)
}

/** A tool's own line: its text, then its data. */
function formatToolLog(line: LogLine, paint: Paint): Entry {
  const { entry } = line
  const { message, data } = (isObject(entry) && 'message' in entry ? entry : { message: entry }) as {
    readonly message: unknown
    readonly data?: unknown
  }
  const [first = '', ...others] = (typeof message === 'string' ? message : JSON.stringify(message)).split('\n')
  const shown = data === undefined ? '' : ` ${paint('dim', toOneLine(JSON.stringify(data)))}`
  const name = paint('cyan', toOneLine(String(line['tool'] ?? line['file'])))
  return { lines: [`${formatLevel(line, paint)}${name} ${toOneLine(first)}${shown}`, ...others.map(toOneLine)] }
}

/** Follows the line of the request, and says what to do. */
function formatRefusal(line: LogLine, paint: Paint): Entry {
  const reason = String(line['reason']).toLowerCase().replaceAll('_', ' ')
  const hint = line['hint'] === undefined ? [] : [toText(line['hint'])]
  return { lines: [`${formatLevel(line, paint)}refused: ${toOneLine(reason)}`, ...hint] }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Fields that people do not need: the text of a reload already contains them. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['level', 'time', 'msg', 'pid', 'hostname', 'chain', 'seq', 'prev', 'requestId', 'traceId', 'reqId'],
  ...['added', 'removed', 'changed', 'reloaded', 'withheld'],
])
/** Fields with sentences, shown without their names. */
const SENTENCES: ReadonlySet<string> = new Set(['reason', 'hint', 'message'])

/** A message and its subject; other fields follow below. */
function formatOther(line: LogLine, paint: Paint): Entry {
  const { msg = '', file, tool, line: at } = line
  const about = [file, tool].filter(each => typeof each === 'string')
  const place = typeof at === 'number' ? `:${at}` : ''
  const isNamed = about.length > 0 && !about.some(each => msg.includes(String(each)))
  const subject = isNamed ? `: ${paint('bold', toOneLine(about.join(', ')))}${place}` : ''
  const fields = Object.entries(line)
    .filter(([name, value]) => !IGNORED.has(name) && !['file', 'tool', 'line'].includes(name) && value !== undefined)
    .map(([name, value]) => (SENTENCES.has(name) ? toText(value) : `${paint('dim', `${name}:`)} ${toText(value)}`))
  const head = `${formatLevel(line, paint)}${toOneLine(msg)}${subject}`
  if (line.level >= WARN) return { lines: [head, ...fields] }
  // Information takes one line.
  const isReasoned = subject === '' && typeof line['reason'] === 'string'
  return { lines: [`${head}${isReasoned ? ':' : ''}${fields.map(field => ` ${field}`).join('')}`] }
}

const toText = (value: unknown) => toOneLine(typeof value === 'string' ? value : JSON.stringify(value))
