// A handler's context in the child process. It forwards to the server by messages. It applies the
// server's rate limits here, so that a handler that sends in a loop loads only its own process.
import type { InputContext, LogLevel, ToolContext } from 'toolrack'
import {
  createLevels,
  type EntryRules,
  fromPlainError,
  JsonCopier,
  Kept,
  MAX_ENTRY_BYTES,
  type NotAwaited,
  type QuestionName,
  QuestionWatch,
  TokenBucket,
  toLogParts,
  toToolCaller,
} from 'toolrack/isolation'
import { MAX_QUESTION_BYTES, type Question, type Said, type Task, type ToChild } from './messages.ts'

const MAX_PROGRESS_TEXT = 1000
/**
 * Twice the server's bound: the server masks texts before it cuts them, so that half a secret never
 * stays.
 */
const SENT_ENTRY: EntryRules = { maxBytes: 2 * MAX_ENTRY_BYTES, mask: text => text }
/** Questions that wait for the server. The server bounds those that wait for the client. */
const MAX_WAITING = 32

interface Asked {
  resolve(answer: unknown): void
  reject(error: Error): void
}

export class ChildContext {
  readonly #send: (message: Said) => void
  readonly #hasListener: boolean
  readonly #about: Task['about']
  readonly #kept: Kept
  readonly #controller = new AbortController()
  readonly #asked = new Map<number, Asked>()
  readonly #answers: Promise<unknown>[] = []
  readonly #watch = new QuestionWatch()
  readonly #progressAllowance = new TokenBucket(100, 50)
  readonly #logAllowance = new TokenBucket(1000, 100)
  #held: Said | undefined
  #unlogged = 0
  #questions = 0
  #hasEnded = false

  constructor({ hasListener, about, kept }: Task, send: (message: Said) => void) {
    this.#send = send
    this.#hasListener = hasListener
    this.#about = about
    this.#kept = new Kept(kept, (name, value) => this.#ask('keep', name, value))
  }

  get context(): ToolContext {
    const { caller, ...about } = this.#about
    const elicit: InputContext['elicit'] = (key, params) => this.#question('elicit', elicit, key, params)
    const confirm: ToolContext['confirm'] = message => this.#question('confirm', confirm, message)
    const sample: InputContext['sample'] = (key, params) => this.#question('sample', sample, key, params)
    const listRoots: InputContext['listRoots'] = key => this.#question('listRoots', listRoots, key)
    return Object.freeze({
      ...about,
      caller: caller && toToolCaller(caller, request => this.#ask('tokenFor', '', request) as Promise<string>),
      signal: this.#controller.signal,
      progress: this.#hasListener ? this.#progress : () => {},
      log: createLevels((level, message, data) => this.#log(level, message, data)),
      closeStream: () => this.#post({ kind: 'closeStream' }),
      elicit,
      confirm,
      sample,
      listRoots,
      keep: (name, compute) => this.#kept.keep(name, compute),
    } satisfies ToolContext)
  }

  /** Sends pending messages. Drops later ones. */
  end(): void {
    if (this.#held !== undefined) this.#post(this.#held)
    if (this.#unlogged > 0)
      this.#post({ kind: 'log', level: 'warning', message: `${this.#unlogged} entries were not logged` })
    this.#hasEnded = true
  }

  receive(message: Exclude<ToChild, { kind: 'run' }>): void {
    if (message.kind === 'abort') {
      const { name, message: text } = message.error
      this.#controller.abort(new DOMException(text, name))
      return
    }
    const asked = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    if (message.kind === 'answer') asked?.resolve(message.answer)
    else asked?.reject(fromPlainError(message.error))
  }

  readonly #progress: ToolContext['progress'] = (progress, total, message) => {
    if (typeof progress !== 'number') return
    const report: Said = {
      kind: 'progress',
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message: message.slice(0, MAX_PROGRESS_TEXT + 1) }),
    }
    const isAllowed = this.#progressAllowance.take()
    this.#held = isAllowed ? undefined : report
    if (isAllowed) this.#post(report)
  }

  #log(level: LogLevel, message: unknown, data: unknown): void {
    if (!this.#logAllowance.take()) {
      this.#unlogged++
      return
    }
    this.#post({ kind: 'log', level, ...toLogParts(message, data, SENT_ENTRY) })
  }

  /** The first question that nobody waits for, once all have been answered or refused. */
  async findForgotten(): Promise<NotAwaited | undefined> {
    await Promise.allSettled(this.#answers)
    return this.#watch.findForgotten()
  }

  #question<T>(name: QuestionName, caller: (...args: never[]) => unknown, key: string, params: unknown = {}) {
    const answer = this.#ask(name, key, params) as Promise<T>
    this.#answers.push(answer)
    return this.#watch.watch(name, caller, answer)
  }

  #ask(question: Question, key: string, params: unknown): Promise<unknown> {
    const answer = new Promise((resolve, reject) => {
      if (this.#asked.size >= MAX_WAITING) throw new RangeError(`more than ${MAX_WAITING} open questions`)
      // An invalid question is an error of the handler.
      const copier = new JsonCopier({ maxBytes: MAX_QUESTION_BYTES, tally: undefined })
      const plain = { key: copier.copy(key) as string, params: copier.copy(params) }
      const id = ++this.#questions
      this.#asked.set(id, { resolve, reject })
      this.#post({ kind: 'ask', id, question, ...plain })
    })
    // A handler may end without awaiting its question; this avoids an unhandled rejection.
    answer.catch(() => {})
    return answer
  }

  #post(message: Said): void {
    if (!this.#hasEnded) this.#send(message)
  }
}
