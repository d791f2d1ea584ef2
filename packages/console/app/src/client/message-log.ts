// The messages between this page and the server: the newest ones, and the HTTP requests that carried
// them.
import { append, FrameStore } from './store.ts'

export const MAX_MESSAGES = 500
export const MAX_MESSAGE_CHARACTERS = 100_000
/**
 * Kept repeats of one notification on one stream. Otherwise progress events could push out
 * everything else.
 */
export const MAX_REPEATS = 100

export type Direction = 'sent' | 'received'

export interface LoggedMessage {
  /** Common sequence of messages and HTTP requests. */
  readonly seq: number
  readonly at: number
  readonly direction: Direction
  readonly kind: 'request' | 'notification' | 'answer' | 'text'
  /** The message in short: `tools/call`, `result`, `error -32602`. */
  readonly summary: string
  /** Of a request or notification. */
  readonly method?: string | undefined
  /** The subject of its params: a tool, a URI, the progress. */
  readonly name?: string | undefined
  readonly id?: string | number | undefined
  /** The call that it belongs to. */
  readonly callId?: number | undefined
  /** The HTTP request that it belongs to. */
  readonly http: number
  readonly verb: string
  readonly path: string
  readonly text: string
  /** Length of the whole text. */
  readonly characters: number
  readonly bytes: number
  readonly isError: boolean
  /** For a received message: when its HTTP request was sent. */
  readonly sentAt?: number | undefined
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
  /** For a notification: how many with its method have arrived on its stream, and their bytes. */
  readonly repeats?: { readonly times: number; readonly bytes: number } | undefined
}

export type Headers = readonly (readonly [name: string, value: string])[]

/** One HTTP request. */
export interface HttpExchange {
  /** The value of `http` in its messages; part of their sequence. */
  readonly seq: number
  readonly at: number
  readonly verb: string
  readonly path: string
  /** Method of the message in its body. */
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
  /** The browser's error if no answer came, or it broke off. */
  readonly failure?: string
  /** Bytes received so far. */
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

  /** Keeps running requests. */
  clear(): void {
    this.messages.set([])
    this.exchanges.update(list => list.filter(({ endedAt }) => endedAt === undefined))
  }
}

/** Drops the oldest repeat of a notification that is too frequent; else the oldest message. */
export function appendMessage(
  list: readonly LoggedMessage[],
  message: LoggedMessage,
  max: number,
): readonly LoggedMessage[] {
  if ((message.repeats?.times ?? 0) <= MAX_REPEATS) return append(list, message, max)
  const oldest = list.findIndex(({ http, method }) => http === message.http && method === message.method)
  return append(oldest === -1 ? list : list.toSpliced(oldest, 1), message, max)
}
