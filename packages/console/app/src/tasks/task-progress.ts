// Reads the progress and the log of a task from its `_meta`, where Toolrack puts them: the extension
// does not define them.
import { type LogEntry, MAX_LOG_ENTRIES } from '../calls/call.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'

const META_PROGRESS = 'toolrack/progress'
const META_LOG = 'toolrack/log'

/** @param task as `tasks/get` and the notifications of tasks describe it */
export function readProgress({ _meta }: JsonObject): JsonObject | undefined {
  const progress = isObject(_meta) ? _meta[META_PROGRESS] : undefined
  return isObject(progress) && typeof progress['progress'] === 'number' ? progress : undefined
}

export interface TaskLog {
  readonly logs: readonly LogEntry[]
  /** How many have come, also those that are dropped. */
  readonly logCount: number
}

/** The log with the entries that are new in a state; undefined if there are none. */
export function readLog(known: TaskLog, { _meta }: JsonObject, at: number): TaskLog | undefined {
  const log = isObject(_meta) ? _meta[META_LOG] : undefined
  if (!isObject(log) || !Array.isArray(log['entries'])) return undefined
  const before = typeof log['before'] === 'number' ? log['before'] : 0
  const logCount = before + log['entries'].length
  if (logCount <= known.logCount) return undefined
  const fresh = log['entries'].slice(Math.max(0, known.logCount - before)).filter(isObject)
  const logs = [...known.logs, ...fresh.map(({ level, data }) => ({ at, level: String(level), data }))]
  return { logs: logs.slice(-MAX_LOG_ENTRIES), logCount }
}
