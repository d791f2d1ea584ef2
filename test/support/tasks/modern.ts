// A client of revision 2026-07-28 that knows tasks: it calls, looks, answers and cancels.
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { defineTool, type ServerOptions, type ToolContext, type ToolDefinition } from '../../../src/index.ts'
import { type App, build, type CallOptions, call, type Reply } from '../app.ts'
import { until } from '../eventually.ts'
import { ABLE } from '../input/rounds.ts'

export const EXTENSION = 'io.modelcontextprotocol/tasks'
export const TASKS = { extensions: { [EXTENSION]: {} } }
/** Of a client that can be asked everything, too. */
export const ABLE_AND_TASKS = { ...ABLE, ...TASKS }
export const UNDECLARED = { code: -32021, data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } }

/** As long as an id is; nobody has it. */
export const UNKNOWN_ID = 'x'.repeat(32)

/** A server that hands out every task at once. */
export const rack = (t: Test, tools: ServerOptions['tools'], options: ServerOptions = {}): Promise<App> =>
  build(t, {
    tools: tools ?? [],
    drainMs: 20,
    ...options,
    rateLimit: { max: 1_000_000, ...options.rateLimit },
    tasks: { inlineMs: 0, ...options.tasks },
  })

export type Handler = (ctx: ToolContext, args: Record<string, unknown>) => unknown

/** A tool that can be a task. */
export const job = (name: string, handler: Handler, more: Partial<ToolDefinition> = {}) =>
  defineTool({
    name,
    task: 'optional',
    inputSchema: { type: 'object' },
    ...more,
    handler: (args: Record<string, unknown>, ctx: ToolContext) => handler(ctx, args),
  })

/** What a tool asks in its first turn is asked before there is a task: this is behind it. */
export const nextTurn = () => new Promise<void>(resolve => setTimeout(resolve, 5))

/** A job that runs until it is let go on, or is aborted. */
export function held(name = 'held', more: Partial<ToolDefinition> = {}) {
  const gate = Promise.withResolvers<unknown>()
  const seen = { begun: 0, aborted: [] as string[] }
  const handler: Handler = ({ signal }) => {
    seen.begun++
    return new Promise((resolve, reject) => {
      gate.promise.then(resolve, reject)
      signal.addEventListener('abort', () => {
        seen.aborted.push(signal.reason.message)
        reject(signal.reason)
      })
    })
  }
  return { tool: job(name, handler, more), seen, release: (value: unknown = 'done') => gate.resolve(value) }
}

export const start = (app: FastifyInstance, name: string, args: object = {}, options: CallOptions = {}) =>
  call(app, 'tools/call', { name, arguments: args }, { capabilities: ABLE_AND_TASKS, ...options })

/** Calls a tool. @returns the id of its task @throws Error where it is none */
export async function taskFrom(app: FastifyInstance, name: string, args?: object, options?: CallOptions) {
  const { result, error } = await start(app, name, args, options)
  if (result?.resultType !== 'task') throw new Error(`no task: ${JSON.stringify(result ?? error)}`)
  return result.taskId as string
}

const on =
  (method: 'tasks/get' | 'tasks/cancel') =>
  (app: FastifyInstance, taskId: string, options: CallOptions = {}): Promise<Reply> =>
    call(app, method, { taskId }, { capabilities: ABLE_AND_TASKS, ...options })

export const get = on('tasks/get')
export const cancel = on('tasks/cancel')

interface Update {
  readonly taskId: string
  readonly inputResponses: object
}

export const update = (app: FastifyInstance, params: Update, options: CallOptions = {}): Promise<Reply> =>
  call(app, 'tasks/update', { ...params }, { capabilities: ABLE_AND_TASKS, ...options })

/** The task, once it is in one of these states. */
export async function whenIn(app: FastifyInstance, taskId: string, statuses: readonly string[], options?: CallOptions) {
  let last: Reply | undefined
  await until(
    async () => {
      last = await get(app, taskId, options)
      return statuses.includes(last.result?.status)
    },
    () => `${taskId} came to ${statuses}, but is ${JSON.stringify(last?.error ?? last?.result?.status)}`,
  )
  return last!.result
}

export const ENDS = ['completed', 'failed', 'cancelled'] as const
export const whenEnded = (app: FastifyInstance, taskId: string, options?: CallOptions) =>
  whenIn(app, taskId, ENDS, options)
export const whenAsking = (app: FastifyInstance, taskId: string, options?: CallOptions) =>
  whenIn(app, taskId, ['input_required'], options)

export const textOf = (task: Reply['result']) => task.result.content[0].text
