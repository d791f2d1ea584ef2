// The JSON-RPC messages of this page, both directions: the newest 500, each cut at 100,000 characters.
import { append, Store } from './store.ts'

export const MAX_MESSAGES = 500
export const MAX_MESSAGE_CHARACTERS = 100_000

export interface LoggedMessage {
  readonly seq: number
  readonly at: number
  readonly direction: 'sent' | 'received'
  /** What it is, in short: `tools/call`, `result`, `error -32602`. */
  readonly summary: string
  readonly id?: string | number | undefined
  /** The call that it belongs to. */
  readonly callId?: number | undefined
  readonly text: string
  /** Its length before it was cut. */
  readonly characters: number
  readonly status?: number | undefined
  readonly headers?: readonly (readonly [string, string])[] | undefined
}

export class MessageLog {
  readonly messages = new Store<readonly LoggedMessage[]>([])
  #seq = 0

  add(message: Omit<LoggedMessage, 'seq' | 'at' | 'characters'>): LoggedMessage {
    const { text } = message
    const logged: LoggedMessage = {
      ...message,
      seq: ++this.#seq,
      at: Date.now(),
      characters: text.length,
      text: text.slice(0, MAX_MESSAGE_CHARACTERS),
    }
    this.messages.update(list => append(list, logged, MAX_MESSAGES))
    return logged
  }

  clear(): void {
    this.messages.set([])
  }
}
