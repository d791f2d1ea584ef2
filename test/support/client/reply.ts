// What a server answers to one HTTP request: JSON, or an event stream that is read as it comes.
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { WireMessage } from '../wire/modern.ts'
import { type SseEvent, SseReader } from './sse.ts'

/** @throws Error where the message is not what the schema of the revision says */
export type Check = (message: WireMessage) => WireMessage

interface Head {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

/** The connection of its own that a reply comes over. */
interface Connection {
  readonly socket: Socket | null
  destroy(): void
}

/** How long a test waits for a message, ms. */
const WAIT_MS = 30_000

export class TestReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body so far. */
  text = ''
  hasEnded = false
  readonly events: SseEvent[] = []
  /** Each is checked. */
  readonly messages: WireMessage[] = []
  readonly ended: Promise<void>
  readonly #reader: SseReader | undefined
  readonly #check: Check
  readonly #connection: Connection | undefined
  readonly #waiting = new Set<() => void>()
  #resolveEnd = () => {}

  constructor({ status, headers }: Head, check: Check, connection?: Connection) {
    this.status = status
    this.headers = headers
    this.#check = check
    this.#connection = connection
    if (headers['content-type']?.startsWith('text/event-stream')) this.#reader = new SseReader()
    this.ended = new Promise(resolve => {
      this.#resolveEnd = resolve
    })
  }

  /** Comments of the stream, such as keep-alives. */
  get comments(): readonly string[] {
    return this.#reader?.comments ?? []
  }

  /** The JSON-RPC response; of a batch, the last. */
  get message(): WireMessage | undefined {
    return this.messages.findLast(({ method }) => method === undefined)
  }

  get result() {
    return this.message?.result
  }

  get error() {
    return this.message?.error
  }

  get socket(): Socket | null | undefined {
    return this.#connection?.socket
  }

  /** The client drops the connection. */
  close(): void {
    this.#connection?.destroy()
  }

  /** The message at `index` as soon as it is there; rejects after 30 s, or when the stream has ended before. */
  async next(index: number): Promise<WireMessage> {
    await this.until(() => this.messages.length > index, `message ${index}`)
    return this.messages[index]!
  }

  async event(index: number): Promise<SseEvent> {
    await this.until(() => this.events.length > index, `event ${index}`)
    return this.events[index]!
  }

  /** The first message that is so, from now or before. */
  async find(isIt: (message: WireMessage) => unknown): Promise<WireMessage> {
    await this.until(() => this.messages.some(isIt), 'the message')
    return this.messages.find(isIt)!
  }

  /** The message that ends the stream. */
  async last(): Promise<WireMessage> {
    await this.ended
    const last = this.messages.at(-1)
    if (last === undefined) throw new Error(`no message came: ${this.status} ${this.text}`)
    return last
  }

  until(isThere: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) =>
        finish(() => reject(new Error(`${what} ${why}; there is ${this.status} ${this.text.slice(-500)}`)))
      const timer = setTimeout(() => fail('did not come'), WAIT_MS)
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        settle()
      }
      const look = () => {
        if (isThere()) finish(resolve)
        else if (this.hasEnded) fail('did not come before the end')
      }
      this.#waiting.add(look)
      look()
    })
  }

  receive(chunk: string): void {
    this.text += chunk
    for (const event of this.#reader?.read(chunk) ?? []) {
      this.events.push(event)
      if (event.data !== '' && event.event === undefined) this.#add(event.data)
    }
    this.#wake()
  }

  end(): void {
    if (this.hasEnded) return
    if (this.headers['content-type']?.startsWith('application/json') && this.text !== '') this.#add(this.text)
    this.hasEnded = true
    this.#resolveEnd()
    this.#wake()
  }

  #add(json: string): void {
    for (const message of [JSON.parse(json)].flat()) this.messages.push(this.#check(message))
  }

  #wake(): void {
    for (const look of this.#waiting) look()
  }
}

/** The text of a tool's result. */
export const textOf = ({ result }: { result?: { content: { text?: string }[] } }) => result?.content[0]?.text
