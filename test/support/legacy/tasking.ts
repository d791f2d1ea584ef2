// Calls as tasks, by a client of 2025-11-25: the call that asks for one, and what comes of it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type AppClient, connected, session } from '../client/app-client.ts'
import type { Opening } from '../client/client.ts'
import type { TestReply } from '../client/reply.ts'
import type { Headers } from '../client/transport.ts'
import { type Handler, tool } from '../steered-tools.ts'
import { RELATED } from '../wire/legacy-tasks.ts'

export interface ToldTask {
  taskId: string
  status: string
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  ttl: number
  pollInterval: number
}

export const optional = { task: 'optional' as const }
export const relatedTo = (taskId: string) => ({ [RELATED]: { taskId } })

/** A tool that may be called as a task. */
export const taskTool = (name: string, handler: Handler, more: object = {}) =>
  tool(name, handler, { ...optional, ...more })

/** The answer of a call as a task. */
export const callAsTask = (client: AppClient, name: string, args: object = {}, task: unknown = {}, over?: Headers) =>
  client.call('tools/call', { name, arguments: args, task }, over)

/** A task that was begun. */
export async function begin(client: AppClient, name: string, args: object = {}, task: object = {}): Promise<ToldTask> {
  const { result, text } = await callAsTask(client, name, args, task)
  if (result?.task === undefined) throw new Error(`no task: ${text}`)
  return result.task
}

export const look = (client: AppClient, taskId: string): Promise<TestReply> => client.call('tasks/get', { taskId })
export const cancel = (client: AppClient, taskId: string): Promise<TestReply> => client.call('tasks/cancel', { taskId })
export const resultOf = (client: AppClient, taskId: string, over?: Headers): Promise<TestReply> =>
  client.call('tasks/result', { taskId }, over)

/** What the task is as soon as it is so. */
export async function untilStatus(client: AppClient, taskId: string, status: string): Promise<ToldTask> {
  let last: ToldTask | undefined
  for (const endMs = performance.now() + 30_000; performance.now() < endMs; ) {
    last = (await look(client, taskId)).result
    if (last?.status === status) return last
    await sleep(20)
  }
  throw new Error(`not ${status} within 30 s: ${JSON.stringify(last)}`)
}

/** A session of a server whose one tool is `job`, which may be a task. */
export const withJob = (
  t: Test,
  handler: Handler,
  options: ServerOptions = {},
  opening?: Opening,
): Promise<AppClient> => session(t, { tools: [taskTool('job', handler)], ...options }, opening)

/** The same over sockets. */
export const withJobOver = (
  t: Test,
  handler: Handler,
  options: ServerOptions = {},
  opening?: Opening,
): Promise<AppClient> => connected(t, { tools: [taskTool('job', handler)], ...options }, opening)

/** A handler that ends when the test lets it; it counts its runs, and says why it was aborted. */
export function gate() {
  const aborted = Promise.withResolvers<string>()
  const held = Promise.withResolvers<unknown>()
  const started = Promise.withResolvers<void>()
  const handler: Handler = ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve(String(signal.reason.message)))
    started.resolve()
    return held.promise
  }
  return { handler, started: started.promise, aborted: aborted.promise, end: held.resolve, fail: held.reject }
}
