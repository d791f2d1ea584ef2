// A request over a socket of its own, and what comes back, event by event. Closes with the test.
import { once } from 'node:events'
import http from 'node:http'
import type { Test } from 'tap'
import type { WireMessage } from '../wire/modern.ts'

export interface SseEvent {
  id?: string
  event?: string
  retry?: number
  data: string
}

export interface Sent {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  /** Called with each message that comes. */
  check(message: WireMessage): WireMessage
}

/** @param block the lines between two blank ones */
export function parseEvent(block: string): SseEvent | undefined {
  const event: SseEvent = { data: '' }
  const lines = block.split('\n').filter(line => line !== '' && !line.startsWith(':'))
  if (lines.length === 0) return undefined
  for (const line of lines) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (field === 'data') event.data += value
    else if (field === 'retry') event.retry = Number(value)
    else if (field === 'id' || field === 'event') event[field] = value!
    else throw new Error(`not a line of an event: ${line}`)
  }
  return event
}

export class EventListener {
  status = 0
  headers: http.IncomingHttpHeaders = {}
  /** What is no stream. */
  text = ''
  hasEnded = false
  readonly events: SseEvent[] = []
  readonly messages: WireMessage[] = []
  readonly comments: string[] = []
  readonly ended: Promise<void>
  readonly #waiting = new Set<() => void>()
  readonly #sent: Sent
  #request: http.ClientRequest | undefined
  #end = () => {}

  constructor(sent: Sent) {
    this.#sent = sent
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  async open(): Promise<this> {
    const { url, method, headers, body } = this.#sent
    const request = http.request(url, { method, headers, agent: false })
    this.#request = request
    request.on('error', () => {}).end(body)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    this.status = response.statusCode!
    this.headers = response.headers
    const isStream = /^text\/event-stream/.test(response.headers['content-type'] ?? '')
    response.setEncoding('utf8')
    response.on('data', chunk => (isStream ? this.#hear(chunk) : (this.text += chunk)))
    response.on('close', () => this.#close(isStream)).on('error', () => {})
    return this
  }

  /** The client leaves. */
  leave(): void {
    this.#request?.destroy()
  }

  /** Stops reading, with the connection open. */
  get socket() {
    return this.#request?.socket
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

  /** The one that ends the stream. */
  async last(): Promise<WireMessage> {
    await this.ended
    const last = this.messages.at(-1)
    if (last === undefined) throw new Error(`no message came: ${this.status} ${this.text}`)
    return last
  }

  until(isThere: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) =>
        finish(() => reject(new Error(`${what} ${why}; there is ${JSON.stringify(this.messages).slice(0, 300)}`)))
      const timer = setTimeout(() => fail('did not come'), 30_000)
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        settle()
      }
      const look = () => {
        if (isThere()) finish(resolve)
        else if (this.hasEnded) fail(`did not come before the end (${this.status} ${this.text})`)
      }
      this.#waiting.add(look)
      look()
    })
  }

  #hear(chunk: string): void {
    const blocks = (this.text + chunk).split('\n\n')
    this.text = blocks.pop()!
    for (const block of blocks) {
      this.comments.push(...block.split('\n').filter(line => line.startsWith(':')))
      const event = parseEvent(block)
      if (event === undefined) continue
      this.events.push(event)
      if (event.data !== '' && event.event === undefined) this.messages.push(this.#sent.check(JSON.parse(event.data)))
    }
    for (const look of this.#waiting) look()
  }

  #close(isStream: boolean): void {
    if (!isStream && this.text !== '') {
      const body = JSON.parse(this.text)
      for (const message of [body].flat()) this.messages.push(this.#sent.check(message))
    }
    this.hasEnded = true
    this.#end()
    for (const look of this.#waiting) look()
  }
}

export function listenTo(t: Test, sent: Sent): Promise<EventListener> {
  const listener = new EventListener(sent)
  t.teardown(() => listener.leave())
  return listener.open()
}
