// Questions of the server that wait for the user: forms, URLs, and messages for a model.
import type { JsonObject } from '../client/json-rpc.ts'
import { append, Store } from '../client/store.ts'

const MAX_QUESTIONS = 50

export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage'

export interface Question {
  readonly id: number
  readonly method: QuestionMethod
  readonly params: JsonObject
  /** The call or the task that asks. */
  readonly callId: number | undefined
  answer(result: JsonObject): void
  /** Answers with an error. */
  reject(reason: string): void
}

/** The user refuses to answer for the model. */
export class RejectedByUser extends Error {}

export class QuestionQueue {
  readonly open = new Store<readonly Question[]>([])
  #id = 0

  /** Waits for the user's answer. @param signal withdraws the question */
  ask(method: QuestionMethod, params: JsonObject, signal: AbortSignal, callId?: number): Promise<never> {
    if (this.open.get().length >= MAX_QUESTIONS) return Promise.reject(new Error('Too many questions are open'))
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
    const question: Question = {
      id: ++this.#id,
      method,
      params,
      callId,
      answer: resolve,
      reject: reason => reject(new RejectedByUser(reason)),
    }
    const withdraw = () => reject(new Error('The question was withdrawn'))
    if (signal.aborted) withdraw()
    signal.addEventListener('abort', withdraw, { once: true })
    this.open.update(list => append(list, question, MAX_QUESTIONS))
    return promise.finally(() => {
      signal.removeEventListener('abort', withdraw)
      this.open.update(list => list.filter(each => each !== question))
    }) as Promise<never>
  }

  /** The first question of a call is asked next. */
  bringForward(callId: number): void {
    this.open.update(list => {
      const first = list.find(each => each.callId === callId)
      return first === undefined ? list : [first, ...list.filter(each => each !== first)]
    })
  }
}
