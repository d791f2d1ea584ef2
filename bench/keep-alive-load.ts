// Sends one build its load, in turns: each of its connections asks again as soon as it is answered.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Call } from './modern-call.ts'

export class KeepAliveLoad {
  readonly #connections: readonly { readonly socket: Socket; readonly request: string }[]
  #isOn = false
  #answered = 0
  #underWay = 0
  #onIdle = () => {}

  private constructor(connections: readonly { readonly socket: Socket; readonly request: string }[]) {
    this.#connections = connections
    for (const { socket, request } of connections) socket.on('data', answer => this.#take(socket, request, answer))
  }

  /** One connection for each call. */
  static async open(url: string, calls: readonly Call[]): Promise<KeepAliveLoad> {
    const { hostname, port, host } = new URL(url)
    const opening = calls.map(async call => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      await once(socket, 'connect')
      return { socket, request: toHttp(call, host) }
    })
    return new KeepAliveLoad(await Promise.all(opening))
  }

  /** @returns how many calls were answered in it */
  async takeTurn(ms: number): Promise<number> {
    const idle = new Promise<void>(resolve => {
      this.#onIdle = resolve
    })
    this.#answered = 0
    this.#isOn = true
    this.#underWay = this.#connections.length
    for (const { socket, request } of this.#connections) socket.write(request)
    setTimeout(() => {
      this.#isOn = false
    }, ms)
    await idle
    return this.#answered
  }

  close(): void {
    for (const { socket } of this.#connections) socket.destroy()
  }

  /** @param answer a whole one, since answers to `echo` and `add` are short @throws Error unless it is a success */
  #take(socket: Socket, request: string, answer: Buffer): void {
    if (!answer.toString('latin1', 0, 12).endsWith(' 200')) throw new Error(`the server answered ${answer}`)
    this.#answered++
    if (this.#isOn) socket.write(request)
    else if (--this.#underWay === 0) this.#onIdle()
  }
}

function toHttp({ path = '/mcp', headers, body }: Call, host: string): string {
  const lines = Object.entries({ host, 'content-length': Buffer.byteLength(body), ...headers })
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}
