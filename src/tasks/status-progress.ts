// Writes the progress of a task to its status message: only the newest report, and at most once
// per poll interval.

import type { ProgressListener } from '../request/exchange.ts'
import type { TaskProgress } from '../state/task.ts'
import { cleanLine } from '../text/clean.ts'
import { cutText } from '../text/one-line.ts'

/** Minimum time between two writes for a running task, ms. */
export const STATUS_INTERVAL_MS = 500
const MAX_MESSAGE = 1000

type SetStatus = (statusMessage: string, progress: TaskProgress) => void

export class StatusProgress implements ProgressListener {
  readonly #setStatus: SetStatus
  #last = Number.NEGATIVE_INFINITY
  #held: TaskProgress | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(say: SetStatus) {
    this.#setStatus = say
  }

  report(progress: number, total?: number, message?: string): void {
    if (typeof progress !== 'number' || !Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    this.#held = { progress, total: Number.isFinite(total) ? total : undefined, message: cleanMessage(message) }
    if (this.#timer === undefined) this.#flush()
  }

  close(): void {
    this.#last = Number.POSITIVE_INFINITY
    this.#held = undefined
    clearTimeout(this.#timer)
  }

  #flush(): void {
    const held = this.#held
    this.#held = undefined
    this.#timer = held === undefined ? undefined : setTimeout(() => this.#flush(), STATUS_INTERVAL_MS).unref()
    if (held !== undefined) this.#setStatus(toStatusMessage(held), held)
  }
}

function toStatusMessage({ progress, total, message }: TaskProgress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`
  return message === undefined ? count : `${message} (${count})`
}

function cleanMessage(message: unknown): string | undefined {
  if (typeof message !== 'string' || message === '') return undefined
  return cleanLine(cutText(message, MAX_MESSAGE))
}
