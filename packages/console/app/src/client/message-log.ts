// What this page and the server sent each other: the newest messages, and the HTTP requests that carried them.
import { append, FrameStore } from './store.ts'

export const MAX_MESSAGES = 500
export const MAX_MESSAGE_CHARACTERS = 100_000
/** Of the same notification on one stream; else thousands of progress events would push out everything else. */
export const MAX_REPEATS = 100

export type Direction = 'sent' | 'received'

export interface LoggedMessage {
  /** Of messages and HTTP requests together, in their order. */
  readonly seq: number
  readonly at: number
  readonly direction: Direction
  readonly kind: 'request' | 'notification' | 'answer' | 'text'
  /** What it is, in short: `tools/call`, `result`, `error -32602`. */
  readonly summary: string
  /** Of a request or notification. */
  readonly method?: string | undefined
  /** What its params name: a tool, a URI, how far it is. */
  readonly name?: string | undefined
  readonly id?: string | number | undefined
  /** The call that it belongs to. */
  readonly callId?: number | undefined
  /** The HTTP request that it belongs to. */
  readonly http: number
  readonly verb: string
  readonly path: string
  readonly text: string
  /** Its length before it was cut. */
  readonly characters: number
  readonly bytes: number
  readonly isError: boolean
  /** Of a received message: when its HTTP request was sent. */
  readonly sentAt?: number | undefined
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
  /** A notification: how many of its method have come on its stream, and their bytes. */
  readonly repeats?: { readonly times: number; readonly bytes: number } | undefined
}

export type Headers = readonly (readonly [name: string, value: string])[]

/** One HTTP request. */
export interface HttpExchange {
  /** Its `http` in the messages; counted with them. */
  readonly seq: number
  readonly at: number
  readonly verb: string
  readonly path: string
  /** Of the message in its body. */
  readonly method?: string | undefined
  readonly name?: string | undefined
  readonly callId?: number | undefined
  readonly requestHeaders: Headers
  readonly headers?: Headers
  readonly status?: number
  readonly answeredAt?: number
  readonly isStream?: boolean
  /** When its answer was complete. */
  readonly endedAt?: number
  /** No answer came, or it broke off: what the browser says. */
  readonly failure?: string
  /** Received up to the end. */
  readonly bytes?: number
}

export class MessageLog {
  readonly messages = new FrameStore<readonly LoggedMessage[]>([])
  readonly exchanges = new FrameStore<readonly HttpExchange[]>([])
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
    this.messages.update(list => appendMessage(list, logged, MAX_MESSAGES))
    return logged
  }

  /** @returns its number */
  open(exchange: Omit<HttpExchange, 'seq' | 'at'>): HttpExchange {
    const opened = { ...exchange, seq: ++this.#seq, at: Date.now() }
    this.exchanges.update(list => append(list, opened, MAX_MESSAGES))
    return opened
  }

  change(http: number, change: Partial<HttpExchange>): void {
    this.exchanges.update(list => list.map(each => (each.seq === http ? { ...each, ...change } : each)))
  }

  /** Requests under way stay. */
  clear(): void {
    this.messages.set([])
    this.exchanges.update(list => list.filter(({ endedAt }) => endedAt === undefined))
  }
}

/** Drops the oldest repeat of a notification that has come too often, else the oldest of all. */
export function appendMessage(
  list: readonly LoggedMessage[],
  message: LoggedMessage,
  max: number,
): readonly LoggedMessage[] {
  if ((message.repeats?.times ?? 0) <= MAX_REPEATS) return append(list, message, max)
  const oldest = list.findIndex(({ http, method }) => http === message.http && method === message.method)
  return append(oldest === -1 ? list : list.toSpliced(oldest, 1), message, max)
}
