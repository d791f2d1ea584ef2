// Runs the page's calls, and keeps the last 30, also over a reload.
import type { Tool } from '@modelcontextprotocol/client'
import type { Connection } from '../client/connection.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { createParamHeaders } from '../client/mirrored-params.ts'
import { describeNoAnswer, describeProblem, type Problem } from '../client/problem.ts'
import { append, FrameStore, Store } from '../client/store.ts'
import { RejectedByUser } from '../questions/question-queue.ts'
import type { TaskList } from '../tasks/task-list.ts'
import { addMessage, type Call } from './call.ts'
import type { CallStorage } from './call-storage.ts'

export const MAX_CALLS = 30
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** The views of a call. */
export type ResultTab = 'result' | 'json' | 'log' | 'messages' | 'code'

export class CallRunner {
  /** The oldest first. */
  readonly calls: FrameStore<readonly Call[]>
  /** For each tool, the call in its pane; the newest if none is chosen. */
  readonly shown: Store<ReadonlyMap<string, number>>
  /** The chosen view, for all tools. */
  readonly tab = new Store<ResultTab>('result')
  readonly #connection: Connection
  readonly #tasks: TaskList
  readonly #storage: CallStorage
  readonly #controllers = new Map<number, AbortController>()
  #id: number

  constructor(connection: Connection, tasks: TaskList, storage: CallStorage) {
    this.#connection = connection
    this.#tasks = tasks
    this.#storage = storage
    const { calls, shown } = storage.load()
    this.calls = new FrameStore(calls)
    this.shown = new Store(shown)
    this.#id = calls.at(-1)?.id ?? 0
    connection.onMessage((message, logged, text) => {
      if (logged.callId !== undefined) this.#change(logged.callId, call => addMessage(call, message, logged, text))
    })
  }

  get(id: number): Call | undefined {
    return this.calls.get().find(call => call.id === id)
  }

  /** The call in the pane of a tool. */
  find(tool: string): Call | undefined {
    const id = this.shown.get().get(tool)
    return (id === undefined ? undefined : this.get(id)) ?? this.calls.get().findLast(call => call.tool === tool)
  }

  /** The call before or after the one that a tool shows, of any tool. */
  findNext(tool: string, step: -1 | 1): Call | undefined {
    const calls = this.calls.get()
    const current = this.find(tool)
    return calls[(current === undefined ? calls.length : calls.indexOf(current)) + step]
  }

  show({ tool, id }: Call): void {
    this.shown.update(shown => new Map(shown).set(tool, id))
  }

  /** The user goes back or forward to it. After a reload, it is shown again with its arguments. */
  choose(call: Call): void {
    this.show(call)
    this.#save()
  }

  /** @param asTask asks for a task, in revisions where the client asks */
  async start(tool: Tool, args: JsonObject, asTask = false): Promise<void> {
    const id = ++this.#id
    const controller = new AbortController()
    this.#controllers.set(id, controller)
    const { era, revision } = this.#connection.state.get()
    const isModern = era === 'modern'
    this.#add({ ...NEW, id, tool: tool.name, args, startedAt: Date.now(), revision })
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
      // A stream that has broken off reaches the log just after the client.
      await new Promise(resolve => setTimeout(resolve))
      this.#fail(id, error, controller.signal.aborted)
    } finally {
      this.#controllers.delete(id)
      this.#save()
    }
  }

  cancel(id: number): void {
    this.#controllers.get(id)?.abort('The user cancelled the call')
  }

  /**
   * The user has signed in: their calls from before a reload are shown again.
   *
   * @param owner undefined if unknown
   */
  open(owner: string | undefined): void {
    // Another token of the same user changes nothing.
    if (!this.#storage.open(owner)) return
    const { calls, shown } = this.#storage.load()
    this.calls.set(calls)
    this.shown.set(shown)
    this.#id = Math.max(this.#id, calls.at(-1)?.id ?? 0)
  }

  /** The user has signed out, and the next user must not see their calls. */
  forget(): void {
    this.#storage.clear()
    this.#storage.open(undefined)
    this.calls.set([])
  }

  #save(): void {
    this.#storage.save(this.calls.get(), this.shown.get())
  }

  #end(id: number, result: JsonObject): void {
    const task = findTask(result)
    if (task !== undefined) this.#becomeTask(id, task)
    else this.#change(id, call => ({ ...call, status: 'done', endedAt: Date.now(), result: call.received ?? result }))
  }

  #fail(id: number, error: unknown, isCancelled: boolean): void {
    const received = this.get(id)?.received
    // The client rejects a result that is a task, because it does not know the extension.
    const task = received?.['resultType'] === 'task' ? findTask(received) : undefined
    if (task !== undefined) {
      this.#becomeTask(id, task)
      return
    }
    if (isRejection(error)) this.#change(id, call => ({ ...call, answered: REJECTED }))
    const end = isCancelled
      ? { status: 'cancelled' as const }
      : { status: 'failed' as const, problem: this.#describe(id, error) }
    this.#change(id, call => ({ ...call, ...end, endedAt: Date.now() }))
  }

  /** Without an answer, uses the browser's error for the call's newest HTTP request. */
  #describe(id: number, error: unknown): Problem {
    const problem = describeProblem(error)
    const isAnswered =
      problem.code !== undefined || problem.status !== undefined || this.get(id)?.httpStatus !== undefined
    if (isAnswered || problem.said !== undefined) return problem
    const failure = this.#connection.log.exchanges.get().findLast(({ callId }) => callId === id)?.failure
    return describeNoAnswer(failure ?? problem.detail)
  }

  #becomeTask(id: number, task: JsonObject): void {
    const taskId = String(task['taskId'])
    this.#change(id, call => ({ ...call, status: 'task', endedAt: Date.now(), taskId }))
    const call = this.get(id)
    if (call !== undefined) this.#tasks.follow(task, call)
  }

  #add(call: Call): void {
    this.calls.update(calls => append(calls, call, MAX_CALLS))
    this.show(call)
    // After a call, users want to see the result. They looked at the code before.
    if (this.tab.get() === 'code' || this.tab.get() === 'log') this.tab.set('result')
  }

  #change(id: number, change: (call: Call) => Call): void {
    this.calls.update(calls => calls.map(call => (call.id === id ? change(call) : call)))
  }
}

const NEW = { status: 'running', logs: [], logCount: 0, messages: [], messageCount: 0 } as const

const REJECTED = { question: { message: '', isYesNo: false }, action: 'decline' } as const

/** In the newest revision, the client itself ends the call, since no answer goes to the server. */
function isRejection(error: unknown): boolean {
  if (error instanceof RejectedByUser) return true
  return error instanceof Error && error.cause !== undefined && isRejection(error.cause)
}

/** A task's handle: the result itself in the newest revision, its member `task` before. */
function findTask(result: JsonObject): JsonObject | undefined {
  if (typeof result['taskId'] === 'string') return result
  const { task } = result
  return isObject(task) && typeof task['taskId'] === 'string' ? task : undefined
}
