// Sends a tool's log entries to the server's log, and to the client if it requested that level.
// Spec 2026-07-28: server/utilities/logging.
import type { JsonValue } from '../protocol/messages.ts'
import { LOG_LEVELS, type LogLevel } from '../protocol/schemas/common.ts'
import type { LogMethod } from '../registry/handler-context.ts'
import { createLevels } from '../registry/tool-server.ts'
import type { Exchange, Log } from '../request/exchange.ts'
import { toNewName } from '../text/new-name.ts'
import { isSecretName } from '../text/secret-names.ts'
import type { CallExecutor } from './executor.ts'
import { MAX_ENTRY_BYTES, toLogEntry } from './log-entry.ts'
import { type Mask, SECRET } from './mask.ts'

const MAX_ENTRIES = 1000

type ServerLevel = 'debug' | 'info' | 'warn' | 'error'
const SERVER_LEVELS: Record<LogLevel, ServerLevel> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}

export function createClientLog(
  tool: string,
  exchange: Exchange,
  { mask, rules }: { readonly mask: Mask; readonly rules: Pick<CallExecutor['rules'], 'clientLogging'> },
): Readonly<Record<LogLevel, LogMethod>> {
  const send = createSender(exchange)
  const least = rules.clientLogging ? exchange.logLevel : undefined
  const write = (level: LogLevel, message: unknown, data: unknown) => {
    const entry = toMaskedEntry(message, data, mask)
    exchange.log[SERVER_LEVELS[level]]({ tool, requestId: exchange.requestId, entry }, 'tool log')
    if (!isLevelWanted(level, least)) return
    send(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, logger: tool, data: entry } }),
    )
  }
  return createLevels(write)
}

/** The log of a tool file outside of calls, which goes to the server's log alone. */
export function createFileLog(file: string, log: Log, mask: Mask): Readonly<Record<LogLevel, LogMethod>> {
  return createLevels((level, message, data) =>
    log[SERVER_LEVELS[level]]({ file, entry: toMaskedEntry(message, data, mask) }, 'tool log'),
  )
}

const toMaskedEntry = (message: unknown, data: unknown, mask: Mask): JsonValue =>
  maskJson(toLogEntry(message, data, { maxBytes: MAX_ENTRY_BYTES, tally: { stripped: 0 } }), mask)

// A client that lags loses entries, but its call goes on.
function createSender({ sink, cancellation }: Exchange): (json: string) => void {
  let sent = 0
  let isLagging = false
  return json => {
    if (sink === undefined || isLagging || cancellation.reason !== undefined || sent >= MAX_ENTRIES) return
    if (sent++ === 0) sink.onDrain(() => (isLagging = false))
    isLagging = !sink.send(json)
  }
}

function isLevelWanted(level: LogLevel, least: LogLevel | undefined): boolean {
  return least !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}

function maskJson(value: JsonValue, mask: Mask): JsonValue {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(element => maskJson(element, mask))
  const masked: Record<string, JsonValue> = {}
  for (const [name, member] of Object.entries(value))
    masked[toNewName(masked, mask(name))] = isSecretMember(name, member) ? SECRET : maskJson(member, mask)
  return masked
}

function isSecretMember(name: string, value: JsonValue): boolean {
  if (value === null || typeof value === 'boolean') return false
  // Token counts of a model are not secret.
  return isSecretName(name) && !(typeof value === 'number' && /tokens$/i.test(name))
}
