// A request as a line for people: `call create_note ok 7 ms 458 → 375 B`.
import { toOneLine } from 'toolrack/text'
import type { Entry, LogLine, Paint, Style } from './line.ts'

/** Methods in plain words. Those that only read are dimmed. */
const METHODS: Readonly<Record<string, { readonly verb: string; readonly isQuiet?: true }>> = {
  'tools/call': { verb: 'call' },
  'prompts/get': { verb: 'prompt' },
  'resources/read': { verb: 'read' },
  'tasks/cancel': { verb: 'cancel task' },
  'tools/list': { verb: 'list tools', isQuiet: true },
  'prompts/list': { verb: 'list prompts', isQuiet: true },
  'resources/list': { verb: 'list resources', isQuiet: true },
  'resources/templates/list': { verb: 'list templates', isQuiet: true },
  'server/discover': { verb: 'discover', isQuiet: true },
  initialize: { verb: 'initialize', isQuiet: true },
  ping: { verb: 'ping', isQuiet: true },
  'tasks/get': { verb: 'task', isQuiet: true },
  'tasks/list': { verb: 'list tasks', isQuiet: true },
  'completion/complete': { verb: 'complete', isQuiet: true },
  'logging/setLevel': { verb: 'set log level', isQuiet: true },
  'subscriptions/listen': { verb: 'listen', isQuiet: true },
}

/** Verbs, for a request without a message. */
const VERBS: Readonly<Record<string, { readonly verb: string; readonly isQuiet: true }>> = {
  GET: { verb: 'open stream', isQuiet: true },
  DELETE: { verb: 'end session', isQuiet: true },
}

/** Outcomes that are not faults. */
const GOOD: Readonly<Record<string, Style>> = {
  ok: 'green',
  streaming: 'green',
  task: 'green',
  input_required: 'cyan',
}

export const isRequestLine = ({ msg, event }: LogLine): boolean =>
  (msg === 'audit' && event === undefined) || msg === 'served' || msg === 'task ended'

export function formatRequest(line: LogLine, paint: Paint): Entry {
  const { verb, isQuiet = false } = describeMethod(line)
  const name = findName(line)
  const outcome = text(line['outcome']) ?? 'ok'
  const style = GOOD[outcome]
  const isPlain = isQuiet && style !== undefined
  const paintIfLoud: Paint = (given, plain) => (isPlain || plain === '' ? plain : paint(given, plain))
  const parts = [
    verb,
    name === undefined ? '' : paintIfLoud('bold', toOneLine(name)),
    paintIfLoud(style ?? (outcome === 'error' ? 'red' : 'yellow'), describeOutcome(outcome, line)),
    formatDuration(line['durationMs'] ?? line['elapsedMs']),
    paintIfLoud('dim', formatBytes(line['requestBytes'], line['responseBytes'])),
    toOneLine(text(line['subject']) ?? ''),
  ]
  return { lines: [parts.filter(Boolean).join(' ')], isQuiet: isPlain }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function describeMethod({ msg, method, verb }: LogLine): { readonly verb: string; readonly isQuiet?: true } {
  if (msg === 'task ended') return { verb: 'task of' }
  const name = text(method)
  if (name === undefined) return VERBS[text(verb) ?? ''] ?? { verb: `${text(verb) ?? ''} request`.trimStart() }
  const isNews = name.startsWith('notifications/')
  return METHODS[name] ?? { verb: toOneLine(name), ...(isNews && { isQuiet: true }) }
}

const findName = (line: LogLine) =>
  ['tool', 'prompt', 'uri', 'task', 'name'].map(field => text(line[field])).find(name => name !== undefined)

/** `ok`, `refused: unknown tool`, `tool error`. */
function describeOutcome(outcome: string, line: LogLine): string {
  const reason = text(line['kind'] ?? line['reason'])
  const plain = (name: string) => toOneLine(name).toLowerCase().replaceAll('_', ' ')
  if (outcome === 'isError') return plain(reason ?? 'tool_error')
  return reason === undefined || reason === outcome ? plain(outcome) : `${plain(outcome)}: ${plain(reason)}`
}

function formatDuration(ms: unknown): string {
  if (typeof ms !== 'number') return ''
  if (ms < 1) return '<1 ms'
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

const UNITS = ['B', 'kB', 'MB', 'GB'] as const

/** In bytes up to four digits, so that small sizes are exact. */
function toSize(bytes: number): readonly [value: string, unit: string] {
  let value = bytes
  let unit = 0
  while (value >= (unit === 0 ? 10_000 : 1000) && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return [unit === 0 ? String(value) : value.toFixed(1), UNITS[unit]!]
}

/** `458 → 375 B`, or `458 B → 1.2 MB`. */
function formatBytes(sent: unknown, answered: unknown): string {
  const [from, to] = [sent, answered].map(bytes => (typeof bytes === 'number' ? toSize(bytes) : undefined))
  if (from === undefined) return to === undefined ? '' : `→ ${to.join(' ')}`
  if (to === undefined) return `${from.join(' ')} →`
  return from[1] === to[1] ? `${from[0]} → ${to.join(' ')}` : `${from.join(' ')} → ${to.join(' ')}`
}
