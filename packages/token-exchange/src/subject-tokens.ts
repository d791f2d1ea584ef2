// The tokens of callers, which are exchanged for tokens of other services. They stay in this
// process: neither tools nor logs nor stores can reach them.
import type { Caller } from 'toolrack'
import { ExpiringMap } from 'toolrack/access'

/** Tokens for tasks. Stores keep only the caller's JSON, so these tokens stay in memory. */
const TASK_BOUNDS = { maxEntries: 10_000, maxSize: 16 * 1024 * 1024 }

export class SubjectTokens {
  readonly #tokens = new WeakMap<Caller, string>()
  readonly #ofTasks = new ExpiringMap<string>(TASK_BOUNDS)

  remember(caller: Caller, token: string): void {
    this.#tokens.set(caller, token)
  }

  /** @param taskId of the task that makes the call, if any */
  find(caller: Caller, taskId: string | undefined): string | undefined {
    return this.#tokens.get(caller) ?? (taskId === undefined ? undefined : this.#ofTasks.get(taskId))
  }

  /** Keeps the token for the run of a task in this process, until the token expires. */
  keepForTask(taskId: string, caller: Caller | undefined): void {
    const token = caller && this.#tokens.get(caller)
    if (token === undefined) return
    this.#ofTasks.set(taskId, token, { size: token.length, untilMs: caller?.expiresAtMs ?? Number.POSITIVE_INFINITY })
  }

  forgetTask(taskId: string): void {
    this.#ofTasks.delete(taskId)
  }
}
