// Follows a call that continues as a task: polls it, answers its questions, and cancels it at
// Ctrl-C. Extension io.modelcontextprotocol/tasks; Spec 2025-11-25: basic/utilities/tasks.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallToolResult, Client, JSONRPCMessage, StandardSchemaV1 } from '@modelcontextprotocol/client'
import type { JsonObject } from 'toolrack'
import { isObject, META_LOG, META_PROGRESS, META_RELATED_TASK } from 'toolrack/protocol'
import { toVisibleLine } from 'toolrack/text'
import { CommandError } from '../errors.ts'
import type { Connection } from './connect.ts'
import { NO_LIMIT_MS } from './deadline.ts'
import type { Progress } from './progress.ts'
import { readWritten } from './written.ts'

/** The key under which the handle of a task reaches the caller: the client knows no such result. */
const HANDLE = 'toolrack/task'
const [MIN_POLL_MS, DEFAULT_POLL_MS, MAX_POLL_MS] = [100, 1000, 30_000]
const CANCEL_WITHIN_MS = 1500

interface Task extends JsonObject {
  readonly taskId: string
  readonly status: string
}

export interface TaskWatcher {
  /** Answers one question of a task. */
  answer(request: JsonObject): Promise<unknown>
  onProgress(progress: Progress): void
  /** @param entry in the form of `notifications/message` */
  onLog(entry: JsonObject): void
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Lets results that are handles of tasks pass through the client, which would refuse them. Also
 * passes on the progress of tasks, which the client drops once it has the handle.
 */
export function passTasks({ transport }: Pick<Connection, 'transport'>, onProgress: TaskWatcher['onProgress']): void {
  const inner = transport.onmessage as ((message: JSONRPCMessage, extra?: unknown) => void) | undefined
  transport.onmessage = (message: JSONRPCMessage, extra?: unknown) => {
    const progress = findTaskProgress(message)
    if (progress !== undefined) onProgress(progress)
    else inner?.(wrapHandle(message), extra)
  }
}

/** Spec 2025-11-25: basic/utilities/tasks, "Task Progress Notifications". */
function findTaskProgress(message: JSONRPCMessage): Progress | undefined {
  if (!('method' in message) || message.method !== 'notifications/progress') return undefined
  const { params } = message
  return isObject(params?._meta) && isObject(params._meta[META_RELATED_TASK]) ? toProgress(params) : undefined
}

function wrapHandle(message: JSONRPCMessage): JSONRPCMessage {
  const result = 'result' in message ? (message.result as JsonObject) : undefined
  if (!isObject(result) || result['resultType'] !== 'task') return message
  // Marked as an error, since it has no structured result yet.
  const wrapped = { resultType: 'complete', content: [], isError: true, _meta: { [HANDLE]: result } }
  return { ...message, result: wrapped } as JSONRPCMessage
}

export function findTask(result: JsonObject): Task | undefined {
  const meta = isObject(result['_meta']) ? result['_meta'][HANDLE] : undefined
  const task = meta ?? result['task']
  return isObject(task) && typeof task['taskId'] === 'string' ? (task as Task) : undefined
}

/** Accepts every result without a change. */
export const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: 'toolrack', validate: value => ({ value: value as JsonObject }) },
}

/** @throws CommandError if it fails or is cancelled; the signal's reason */
export async function followTask(client: Client, task: Task, watcher: TaskWatcher): Promise<CallToolResult> {
  try {
    return await poll(client, task, watcher)
  } catch (error) {
    if (watcher.signal.aborted) await cancel(client, task.taskId)
    throw watcher.signal.aborted ? watcher.signal.reason : error
  }
}

async function cancel(client: Client, taskId: string): Promise<void> {
  const params = { taskId }
  // Whatever the server answers, the process ends.
  await client.request({ method: 'tasks/cancel', params }, ANY_RESULT, { timeout: CANCEL_WITHIN_MS }).catch(() => {})
}

async function poll(client: Client, first: Task, watcher: TaskWatcher): Promise<CallToolResult> {
  const { taskId } = first
  const { signal, timeoutMs: timeout } = watcher
  const answered = new Set<string>()
  let logged = 0
  const read = async (method: string, withinMs = timeout) =>
    (await client.request({ method, params: { taskId } }, ANY_RESULT, { signal, timeout: withinMs })) as Task
  for (let task = first; ; task = await read('tasks/get')) {
    const message = typeof task['statusMessage'] === 'string' ? `: ${toVisibleLine(task['statusMessage'])}` : ''
    logged = passLog(task, logged, watcher.onLog)
    watcher.onProgress(findReached(task) ?? { message: `task ${task.status}${message}` })
    if (task.status === 'completed')
      return (isObject(task['result']) ? readWritten(task)['result'] : await read('tasks/result')) as CallToolResult
    if (task.status === 'failed') throw new CommandError(`the task has failed${message || describeError(task)}`)
    if (task.status === 'cancelled') throw new CommandError(`the task was cancelled${message}`)
    if (task.status === 'input_required') {
      const done = await answerAll(client, task, answered, watcher)
      // Resolves when the task has ended, after its questions.
      if (done === 'ask') return (await read('tasks/result', NO_LIMIT_MS)) as unknown as CallToolResult
    }
    await sleep(readInterval(task), undefined, { signal })
  }
}

/** Passes on new entries. @returns how many there have been so far */
function passLog({ _meta }: Task, known: number, onLog: TaskWatcher['onLog']): number {
  const log = isObject(_meta) ? _meta[META_LOG] : undefined
  if (!isObject(log) || !Array.isArray(log['entries'])) return known
  const before = typeof log['before'] === 'number' ? log['before'] : 0
  for (const entry of log['entries'].slice(Math.max(0, known - before))) if (isObject(entry)) onLog(entry)
  return Math.max(known, before + log['entries'].length)
}

/** The last progress of a working task, if the server reports it. */
const findReached = ({ status, _meta }: Task): Progress | undefined =>
  status === 'working' && isObject(_meta) ? toProgress(_meta[META_PROGRESS]) : undefined

function toProgress(value: unknown): Progress | undefined {
  if (!isObject(value) || typeof value['progress'] !== 'number') return undefined
  const { progress, total, message } = value
  return {
    progress,
    total: typeof total === 'number' ? total : undefined,
    message: typeof message === 'string' ? message : undefined,
  }
}

const describeError = ({ error }: Task) =>
  isObject(error) && typeof error['message'] === 'string' ? `: ${toVisibleLine(error['message'])}` : ''

function readInterval({ pollIntervalMs, pollInterval }: Task): number {
  const ms = Number(pollIntervalMs ?? pollInterval ?? DEFAULT_POLL_MS)
  return Math.min(Math.max(Number.isFinite(ms) ? ms : DEFAULT_POLL_MS, MIN_POLL_MS), MAX_POLL_MS)
}

/** @returns `ask` if the questions arrive while `tasks/result` is awaited */
async function answerAll(
  client: Client,
  { taskId, inputRequests }: Task,
  answered: Set<string>,
  { answer, signal, timeoutMs: timeout }: TaskWatcher,
): Promise<'ask' | 'done'> {
  if (!isObject(inputRequests)) return 'ask'
  const inputResponses: JsonObject = {}
  for (const [key, request] of Object.entries(inputRequests)) {
    if (answered.has(key) || !isObject(request)) continue
    inputResponses[key] = await answer(request)
    answered.add(key)
  }
  if (Object.keys(inputResponses).length === 0) return 'done'
  const params = { taskId, inputResponses }
  await client.request({ method: 'tasks/update', params }, ANY_RESULT, { signal, timeout })
  return 'done'
}
