// Sends a tool's log entries to the server's log, and to the client if it requested that level.
// Spec 2026-07-28: server/utilities/logging.
import { LOG_LEVELS, type LogLevel } from '../protocol/schemas/common.ts'
import type { LogMethod } from '../registry/handler-context.ts'
import { createLevels } from '../registry/tool-server.ts'
import type { Exchange, Log } from '../request/exchange.ts'
import type { CallExecutor } from './executor.ts'
import { MAX_ENTRY_BYTES, toLogEntry } from './log-entry.ts'
import type { Mask } from './mask.ts'

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
    const entry = toLogEntry(message, data, { maxBytes: MAX_ENTRY_BYTES, mask })
    exchange.log[SERVER_LEVELS[level]]({ tool, requestId: exchange.requestId, entry }, 'tool log')
    if (!isLevelWanted(level, least)) return
    const params = { level, logger: tool, data: entry }
    if (exchange.sink === undefined) exchange.onLog?.(params)
    else send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }))
  }
  return createLevels(write)
}

/** The log of a tool file outside of calls. It goes to the server's log only. */
export function createFileLog(file: string, log: Log, mask: Mask): Readonly<Record<LogLevel, LogMethod>> {
  return createLevels((level, message, data) =>
    log[SERVER_LEVELS[level]](
      { file, entry: toLogEntry(message, data, { maxBytes: MAX_ENTRY_BYTES, mask }) },
      'tool log',
    ),
  )
}

// A slow client loses log entries, but its call continues.
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
