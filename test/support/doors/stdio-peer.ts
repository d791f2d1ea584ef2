// A client of the door on stdin and stdout, over streams in memory. Each message that it gets is
// checked against the official schema of its revision.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Test } from 'tap'
import { stdio } from '../../../packages/toolrack/door.ts'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, build } from '../app.ts'
import { until } from '../eventually.ts'
import { type CallOptions, request } from '../request.ts'
import { wireOf } from '../wire/legacy.ts'
import { assertWire, type WireMessage } from '../wire/modern.ts'

export class StdioPeer {
  readonly app: App
  readonly input: PassThrough
  readonly output: PassThrough
  /** All that came, in order; the answer of a batch is an array. */
  readonly got: (WireMessage & WireMessage[])[] = []
  /** Why the door has ended the server. */
  readonly ends: string[]
  revision: string | undefined
  readonly #asked = new Map<unknown, string>()
  #ids = 0

  constructor({ app, input, output, ends }: Pick<StdioPeer, 'app' | 'input' | 'output' | 'ends'>) {
    this.app = app
    this.input = input
    this.output = output
    this.ends = ends
    let rest = ''
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop()!
      this.got.push(...lines.map(line => this.#check(JSON.parse(line))))
    })
  }

  write(...messages: readonly unknown[]): void {
    for (const message of messages) {
      for (const { id, method } of [message].flat() as WireMessage[])
        if (id !== undefined && method !== undefined) this.#asked.set(id, method)
      this.input.write(`${JSON.stringify(message)}\n`)
    }
  }

  /** A request of the newest revision. @returns its answer */
  ask(method: string, params: object = {}, options: CallOptions = {}): Promise<WireMessage> {
    return this.answerTo(this.begin(method, params, options))
  }

  /** The same, whose answer may never come. @returns its id */
  begin(method: string, params: object = {}, options: CallOptions = {}): string | number {
    const { message } = request(method, params as Record<string, unknown>, options)
    this.write(message)
    return message.id
  }

  /** A request of the session. @returns its answer */
  send(method: string, params: object = {}, id: string | number = `s${++this.#ids}`): Promise<WireMessage> {
    this.write({ jsonrpc: '2.0', id, method, params })
    return this.answerTo(id)
  }

  notify(method: string, params: object = {}): void {
    this.write({ jsonrpc: '2.0', method, params })
  }

  async open(revision: string, capabilities: object = {}): Promise<WireMessage> {
    this.revision = revision
    const clientInfo = { name: 'test', version: '1.0.0' }
    const answer = await this.send('initialize', { protocolVersion: revision, capabilities, clientInfo })
    this.notify('notifications/initialized')
    return answer
  }

  answerTo(id: string | number): Promise<WireMessage> {
    return this.next(message => message.id === id && message.method === undefined)
  }

  /** The first message that is so, from now or before. */
  async next(isIt: (message: WireMessage) => boolean): Promise<WireMessage> {
    await until(() => this.got.some(isIt), 'a message')
    return this.got.find(isIt)!
  }

  nextOf(method: string): Promise<WireMessage> {
    return this.next(message => message.method === method)
  }

  #check(message: WireMessage & WireMessage[]): WireMessage & WireMessage[] {
    for (const each of [message].flat() as WireMessage[]) {
      const isModern = this.revision === undefined || 'resultType' in (each.result ?? {})
      // The schemas of older revisions know no error without an id.
      if (each.id === null || each.method === 'notifications/cancelled') continue
      if (each.params?._meta?.['io.modelcontextprotocol/subscriptionId'] !== undefined) continue
      if (isModern) assertWire(each, this.#asked.get(each.id))
      else wireOf(this.revision!)(each, this.#asked.get(each.id))
    }
    return message
  }
}

export interface PeerOptions extends ServerOptions {
  /** Characters that wait for the reader before it counts as slow. */
  readonly outputSize?: number
}

export async function connectPeer(t: Test, { outputSize, ...options }: PeerOptions = {}): Promise<StdioPeer> {
  const input = new PassThrough()
  const output = new PassThrough(outputSize === undefined ? {} : { highWaterMark: outputSize })
  const ends: string[] = []
  const door = stdio({ input, output, onEnd: reason => void ends.push(reason) })
  const app = await build(t, { doors: [door], ...options })
  await app.ready()
  return new StdioPeer({ app, input, output, ends })
}

/** A signal has aborted, now or later. */
export const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}
