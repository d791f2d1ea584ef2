// Reads the progress and the log of a task from its `_meta`. Toolrack puts them there, because the
// extension does not define them.
import { type LogEntry, MAX_LOG_ENTRIES } from '../calls/call.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'

const META_PROGRESS = 'toolrack/progress'
const META_LOG = 'toolrack/log'

/** @param task in the form of `tasks/get` and of the notifications of tasks */
export function readProgress({ _meta }: JsonObject): JsonObject | undefined {
  const progress = isObject(_meta) ? _meta[META_PROGRESS] : undefined
  return isObject(progress) && typeof progress['progress'] === 'number' ? progress : undefined
}

export interface TaskLog {
  readonly logs: readonly LogEntry[]
  /** Number of entries so far, including dropped ones. */
  readonly logCount: number
}

/** The log with the new entries of a state; undefined without new ones. */
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
