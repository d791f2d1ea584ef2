// Runs the page's calls, and keeps the newest of each tool.
import type { Tool } from '@modelcontextprotocol/client'
import type { Connection } from '../client/connection.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { createParamHeaders } from '../client/mirrored-params.ts'
import { describeProblem } from '../client/problem.ts'
import { FrameStore } from '../client/store.ts'
import type { TaskList } from '../tasks/task-list.ts'
import { addMessage, type Call } from './call.ts'

const MAX_CALLS = 30
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

export class CallRunner {
  /** By id, oldest first. */
  readonly calls = new FrameStore<ReadonlyMap<number, Call>>(new Map())
  readonly #connection: Connection
  readonly #tasks: TaskList
  readonly #controllers = new Map<number, AbortController>()
  #id = 0

  constructor(connection: Connection, tasks: TaskList) {
    this.#connection = connection
    this.#tasks = tasks
    connection.onMessage((message, logged) => {
      if (logged.callId !== undefined) this.#change(logged.callId, call => addMessage(call, message, logged))
    })
  }

  /** The newest call of a tool. */
  find(tool: string): Call | undefined {
    return [...this.calls.get().values()].findLast(call => call.tool === tool)
  }

  /** @param asTask asks for a task, in revisions where the client asks */
  async start(tool: Tool, args: JsonObject, asTask = false): Promise<void> {
    const id = ++this.#id
    const controller = new AbortController()
    this.#controllers.set(id, controller)
    this.#add({ id, tool: tool.name, args, startedAt: Date.now(), status: 'running', logs: [], messages: [] })
    const isModern = this.#connection.state.get().era === 'modern'
    const params = {
      name: tool.name,
      arguments: args,
      ...(asTask && { task: {} }),
      ...(isModern && { _meta: { [LOG_LEVEL]: 'debug' } }),
    }
    const headers = isModern ? createParamHeaders(tool.inputSchema, args) : undefined
    const options = { signal: controller.signal, callId: id, headers, isFollowed: true }
    try {
      const result = await this.#connection.request({ method: 'tools/call', params }, options)
      this.#end(id, result)
    } catch (error) {
      this.#fail(id, error, controller.signal.aborted)
    } finally {
      this.#controllers.delete(id)
    }
  }

  cancel(id: number): void {
    this.#controllers.get(id)?.abort('The user cancelled the call')
  }

  #end(id: number, result: JsonObject): void {
    const task = findTask(result)
    if (task !== undefined) this.#becomeTask(id, task)
    else this.#change(id, call => ({ ...call, status: 'done', endedAt: Date.now(), result }))
  }

  #fail(id: number, error: unknown, isCancelled: boolean): void {
    const received = this.calls.get().get(id)?.received
    // The client rejects the result that is a task, since it does not know the extension.
    const task = received?.['resultType'] === 'task' ? findTask(received) : undefined
    if (task !== undefined) {
      this.#becomeTask(id, task)
      return
    }
    const end = isCancelled
      ? { status: 'cancelled' as const }
      : { status: 'failed' as const, problem: describeProblem(error) }
    this.#change(id, call => ({ ...call, ...end, endedAt: Date.now() }))
  }

  #becomeTask(id: number, task: JsonObject): void {
    const taskId = String(task['taskId'])
    this.#change(id, call => ({ ...call, status: 'task', endedAt: Date.now(), taskId }))
    this.#tasks.follow(task, this.calls.get().get(id)?.tool ?? '', id)
  }

  #add(call: Call): void {
    this.calls.update(calls => {
      const kept = [...calls].slice(-MAX_CALLS + 1)
      return new Map([...kept, [call.id, call]])
    })
  }

  #change(id: number, change: (call: Call) => Call): void {
    this.calls.update(calls => {
      const call = calls.get(id)
      return call === undefined ? calls : new Map(calls).set(id, change(call))
    })
  }
}

/** A task's handle: the result itself in the newest revision, its member `task` before. */
function findTask(result: JsonObject): JsonObject | undefined {
  if (typeof result['taskId'] === 'string') return result
  const { task } = result
  return isObject(task) && typeof task['taskId'] === 'string' ? task : undefined
}
