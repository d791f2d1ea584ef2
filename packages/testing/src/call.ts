// Runs one request of a test to its end: through rounds of questions, and through its task.
import type { JsonObject } from 'toolrack'
import { MAX_ROUNDS } from 'toolrack/execution'
import { CATALOGUE, Cancellation, type ClientRequest } from 'toolrack/protocol'
import type { Task, TaskStatus } from 'toolrack/stores'
import { CallRecord } from './call-record.ts'
import type { Sender, TestClient } from './client.ts'
import { ProtocolError } from './protocol-error.ts'
import { type Answers, type AskedQuestion, ScriptedUser, toAskedQuestion } from './questions.ts'

/** The task that a call became. */
export interface TaskReport {
  readonly id: string
  /** The states that the client saw, in order. */
  readonly statuses: readonly TaskStatusReport[]
}

/** One state of a task, as its client saw it. */
export interface TaskStatusReport {
  readonly status: TaskStatus
  readonly message?: string
}

/** @internal */
export interface Call {
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get'
  readonly params: JsonObject
  readonly sender: Sender
  readonly answers: Answers
}

/** The end of a call, and what happened before. */
export interface EndedCall {
  readonly result: JsonObject
  readonly record: CallRecord
  readonly questions: readonly AskedQuestion[]
  readonly task: TaskReport | undefined
}

/** @throws ProtocolError, QuestionError @internal */
export async function runCall(client: TestClient, call: Call): Promise<EndedCall> {
  const running = new RunningCall(client, call)
  try {
    return await running.toEnd()
  } finally {
    client.forget(running.record)
  }
}

class RunningCall {
  readonly record = new CallRecord()
  readonly #client: TestClient
  readonly #call: Call
  readonly #user: ScriptedUser
  readonly #questions: AskedQuestion[] = []

  constructor(client: TestClient, call: Call) {
    this.#client = client
    this.#call = call
    this.#user = new ScriptedUser(call.answers)
  }

  async toEnd(): Promise<EndedCall> {
    const { method, params, sender } = this.#call
    let answered: JsonObject = {}
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const result = await this.#client.request(method, { ...params, ...answered }, sender, this.record)
      if (result['resultType'] === 'task') return this.#followTask(String(result['taskId']))
      if (result['resultType'] !== 'input_required') return this.#toEnded(result, undefined)
      const { inputRequests, requestState } = result
      answered = { inputResponses: await this.#answer(inputRequests as Record<string, ClientRequest>), requestState }
    }
    throw new Error(`the handler asked in more than ${MAX_ROUNDS} rounds`)
  }

  #toEnded(result: JsonObject, task: TaskReport | undefined): EndedCall {
    return { result, record: this.record, questions: this.#questions, task }
  }

  /** @param findKey finds the handler's key of a question; a task may give it another */
  async #answer(
    requests: Readonly<Record<string, ClientRequest>>,
    findKey: (key: string) => string = key => key,
  ): Promise<JsonObject> {
    const answers: JsonObject = Object.create(null)
    for (const [key, request] of Object.entries(requests)) {
      const question = toAskedQuestion(findKey(key), request)
      this.#questions.push(question)
      answers[key] = await this.#user.answer(question)
    }
    return answers
  }

  async #followTask(id: string): Promise<EndedCall> {
    const { tasks } = this.#client.runtime
    const statuses: TaskStatusReport[] = []
    for (;;) {
      const stored = await tasks.read(id)
      const seen = await this.#client.request('tasks/get', { taskId: id }, this.#call.sender)
      const status = toStatusReport(seen)
      if (JSON.stringify(status) !== JSON.stringify(statuses.at(-1))) statuses.push(status)
      if (status.status === 'completed') return this.#toEnded(seen['result'] as JsonObject, { id, statuses })
      if (status.status === 'failed') throw toTaskError(await tasks.read(id))
      if (status.status === 'cancelled') throw new Error('the task of the call was cancelled')
      if (status.status === 'input_required') await this.#answerTask(id, seen)
      else await this.#untilChanged(id, stored?.version)
    }
  }

  async #answerTask(taskId: string, { inputRequests }: JsonObject): Promise<void> {
    const questions = (await this.#client.runtime.tasks.read(taskId))?.questions ?? {}
    const requests = inputRequests as Record<string, ClientRequest>
    const inputResponses = await this.#answer(requests, key => questions[key]?.key ?? key)
    await this.#client.request('tasks/update', { taskId, inputResponses }, this.#call.sender)
  }

  // A client would poll. A test in the same process gets the change directly.
  async #untilChanged(id: string, version: number | undefined): Promise<void> {
    const { tasks } = this.#client.runtime
    const changed = await tasks.waitUntil(id, now => now.version !== version, { cancellation: new Cancellation() })
    if (changed === undefined && tasks.isStopping) throw new Error('closed before the task of the call had ended')
  }
}

function toStatusReport({ status, statusMessage }: JsonObject): TaskStatusReport {
  const report = { status: status as TaskStatus }
  return typeof statusMessage === 'string' ? { ...report, message: statusMessage } : report
}

function toTaskError(task: Task | undefined): Error {
  if (task?.outcome === undefined || !('error' in task.outcome)) return new Error('the task of the call is gone')
  const { reason, message, data } = task.outcome.error
  return new ProtocolError(message, { code: CATALOGUE[reason].code, reason, data })
}
