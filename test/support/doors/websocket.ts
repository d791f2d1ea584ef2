// A door over websockets: each text message is one JSON-RPC request of the newest revision.
import websocket from '@fastify/websocket'
import type { WebSocket } from 'ws'
import { type Door, type DoorContext, McpError, type RequestFacts, type Served } from '../../../src/doors/index.ts'
import type { JsonObject } from '../../../src/index.ts'

/** Requests of one connection that are under way. */
const MAX_RUNNING = 16
const MAX_BYTES = 1024 * 1024

export const websocketDoor = (path = '/ws'): Door => ({
  name: 'websocket',
  async open(app, context) {
    await app.register(websocket, { options: { maxPayload: MAX_BYTES } })
    app.get(path, { websocket: true, onRequest: [...context.guards] }, (socket, request) => {
      const connection = new Connection(socket, context, context.readFacts(request))
      socket.on('message', async (data, isBinary) => {
        if (isBinary) return socket.close(1003)
        const refusal = await context.countMessage(request)
        await connection.receive(String(data), refusal)
      })
    })
  },
})

class Connection {
  readonly #socket: WebSocket
  readonly #context: DoorContext
  readonly #facts: RequestFacts
  readonly #left = new AbortController()
  #running = 0

  constructor(socket: WebSocket, context: DoorContext, facts: RequestFacts) {
    this.#socket = socket
    this.#context = context
    this.#facts = facts
    socket.on('close', () => this.#left.abort())
    context.signal.addEventListener('abort', () => socket.close(1001), { once: true })
  }

  async receive(text: string, refusal: McpError | undefined): Promise<void> {
    const message = readRequest(text)
    if (message === undefined) return this.#socket.close(1007)
    const served = refusal === undefined ? await this.#serve(message, text.length) : toError(refusal)
    const answer = this.#context.toMessage(served, message)
    if (answer !== undefined) this.#socket.send(answer)
  }

  async #serve({ method, params }: Request, requestBytes: number): Promise<Served> {
    if (this.#running >= MAX_RUNNING) return toError(new McpError('BUSY', 'too many requests are under way'))
    this.#running++
    const { _meta: meta = {}, ...rest } = params
    try {
      return await this.#context.serve({
        ...this.#facts,
        requestId: undefined,
        requestBytes,
        method,
        params: rest,
        client: { capabilities: (meta as JsonObject)['io.modelcontextprotocol/clientCapabilities'] ?? {} },
        meta: meta as JsonObject,
        signal: this.#left.signal,
        sink: {
          send: json => {
            this.#socket.send(json)
            return this.#socket.bufferedAmount < MAX_BYTES
          },
          onDrain: () => {},
          detach: () => {
            throw new Error('a websocket has no stream of its own')
          },
        },
      })
    } finally {
      this.#running--
    }
  }
}

interface Request {
  readonly id: string | number
  readonly method: string
  readonly params: JsonObject
}

function readRequest(text: string): Request | undefined {
  try {
    const { id, method, params = {} } = JSON.parse(text)
    return typeof method === 'string' && ['string', 'number'].includes(typeof id) ? { id, method, params } : undefined
  } catch {
    return undefined
  }
}

const toError = (error: McpError): Served => ({ kind: 'error', error })
