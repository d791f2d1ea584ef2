// A client with a handshake, whose one session it keeps whatever replica answers.
import { initializing, NEWEST } from '../../support/client/client.ts'
import { type Persisted, persist, type Said, type Wire } from './wire.ts'

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export class SessionClient {
  readonly #wire: Wire
  readonly #how: Persisted
  #headers: Record<string, string> = TYPES
  #ids = 0

  constructor(wire: Wire, how: Persisted) {
    this.#wire = wire
    this.#how = how
  }

  async open(): Promise<void> {
    const { status, headers } = await this.#send(initializing())
    if (status !== 200) throw new Error(`no session: ${status}`)
    this.#headers = { ...TYPES, 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': NEWEST }
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  callTool(name: string, args: object): Promise<Said> {
    return this.ask('tools/call', { name, arguments: args })
  }

  ask(method: string, params: object): Promise<Said> {
    return this.#send({ jsonrpc: '2.0', id: ++this.#ids, method, params })
  }

  #send(message: object): Promise<Said> {
    return persist(() => this.#wire.post(message, this.#headers), this.#how)
  }
}
