// How far a task has come, as its status message: the newest, and not more often than anybody looks.
import type { ProgressListener } from '../exchange.ts'
import { cut } from '../execution/error-text.ts'
import { cleanText } from '../registry/clean.ts'
import type { TaskProgress } from '../task.ts'

const INTERVAL_MS = 500
const MAX_MESSAGE = 1000

type Say = (statusMessage: string, progress: TaskProgress) => void

export class StatusProgress implements ProgressListener {
  readonly #say: Say
  #last = Number.NEGATIVE_INFINITY
  #held: TaskProgress | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(say: Say) {
    this.#say = say
  }

  report(progress: number, total?: number, message?: string): void {
    if (typeof progress !== 'number' || !Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    this.#held = { progress, total: Number.isFinite(total) ? total : undefined, message: messageOf(message) }
    if (this.#timer === undefined) this.#tell()
  }

  close(): void {
    this.#last = Number.POSITIVE_INFINITY
    this.#held = undefined
    clearTimeout(this.#timer)
  }

  #tell(): void {
    const held = this.#held
    this.#held = undefined
    this.#timer = held === undefined ? undefined : setTimeout(() => this.#tell(), INTERVAL_MS).unref()
    if (held !== undefined) this.#say(textOf(held), held)
  }
}

function textOf({ progress, total, message }: TaskProgress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`
  return message === undefined ? count : `${message} (${count})`
}

function messageOf(message: unknown): string | undefined {
  if (typeof message !== 'string' || message === '') return undefined
  return cleanText(cut(message, MAX_MESSAGE)).replace(/\s+/g, ' ')
}
