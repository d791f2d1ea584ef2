// A TCP proxy between a server and its Redis, whose wire can be cut, blocked and slowed in the ways that real ones are.
import { once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'

export type Mode =
  | { readonly kind: 'pass' }
  /** Takes connections and bytes, and says nothing. What was swallowed once stays dead. */
  | { readonly kind: 'drop' }
  /** Ends connections with RST, the new ones as soon as they are there. */
  | { readonly kind: 'reset' }
  /** Nobody listens. */
  | { readonly kind: 'refuse' }
  /** One byte a second in each direction. */
  | { readonly kind: 'slow' }
  | { readonly kind: 'delay'; readonly ms: number }

const BYTE_MS = 1000

/** One direction of a connection. */
class Wire {
  readonly #to: net.Socket
  readonly #mode: () => Mode
  #waiting: Buffer[] = []
  #tick: NodeJS.Timeout | undefined
  #isDead = false

  constructor(from: net.Socket, to: net.Socket, mode: () => Mode) {
    this.#to = to
    this.#mode = mode
    from.on('data', chunk => this.#take(chunk))
    from.on('close', () => {
      clearInterval(this.#tick)
      to.destroy()
    })
    from.on('error', () => {})
  }

  /** The mode has changed. */
  turn(): void {
    clearInterval(this.#tick)
    this.#tick = undefined
    const { kind } = this.#mode()
    if (kind === 'slow') this.#tick = setInterval(() => this.#drip(), BYTE_MS)
    if (kind === 'pass') for (const chunk of this.#waiting.splice(0)) this.#to.write(chunk)
  }

  #take(chunk: Buffer): void {
    const mode = this.#mode()
    if (mode.kind === 'drop') this.#isDead = true
    if (this.#isDead) return
    if (mode.kind === 'slow') this.#waiting.push(chunk)
    else if (mode.kind === 'delay') setTimeout(() => this.#to.write(chunk), mode.ms)
    else this.#to.write(chunk)
  }

  #drip(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#to.write(first.subarray(0, 1))
    if (first.length > 1) this.#waiting[0] = first.subarray(1)
    else this.#waiting.shift()
  }
}

interface Connection {
  readonly client: net.Socket
  readonly wires: readonly Wire[]
}

export class TcpProxy {
  readonly #target: number
  readonly #connections = new Set<Connection>()
  #server: net.Server
  #mode: Mode = { kind: 'pass' }
  #port = 0

  constructor(target: number) {
    this.#target = target
    this.#server = this.#listener()
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  get connections(): number {
    return this.#connections.size
  }

  async start(): Promise<void> {
    this.#server = this.#listener()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as net.AddressInfo).port
  }

  async turn(mode: Mode): Promise<void> {
    const wasRefusing = this.#mode.kind === 'refuse'
    this.#mode = mode
    if (mode.kind === 'refuse') return this.close()
    if (wasRefusing) await this.start()
    for (const { client, wires } of this.#connections) {
      if (mode.kind === 'reset') client.resetAndDestroy()
      for (const wire of wires) wire.turn()
    }
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    for (const { client } of this.#connections) client.destroy()
    await closed
  }

  #listener(): net.Server {
    return net.createServer({ noDelay: true }, client => this.#connect(client))
  }

  #connect(client: net.Socket): void {
    if (this.#mode.kind === 'reset') return void client.resetAndDestroy()
    const target = net.connect({ port: this.#target, host: '127.0.0.1', noDelay: true })
    const mode = () => this.#mode
    const wires = [new Wire(client, target, mode), new Wire(target, client, mode)]
    for (const wire of wires) wire.turn()
    const connection = { client, wires }
    this.#connections.add(connection)
    client.on('close', () => this.#connections.delete(connection))
  }
}

/** A proxy for one test, gone with it. @param target the port of its Redis */
export async function tcpProxy(t: Test, target: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(target)
  await proxy.start()
  t.teardown(() => proxy.turn({ kind: 'refuse' }))
  return proxy
}
