// The official client of the revisions with a handshake, @modelcontextprotocol/sdk 1.x, over real sockets.
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, listening } from '../app.ts'
import { faultsOf } from './faults.ts'
import { type Recorder, recorder } from './recorder.ts'

/** What tests run over: each is the same to the user of a client. */
export const TRANSPORTS = ['Streamable HTTP', 'HTTP+SSE'] as const

export interface ConnectOptions extends ClientOptions {
  over?: (typeof TRANSPORTS)[number]
  /** The revision to ask for, where it is not the client's newest. */
  version?: string
  /** Comes back within a moment, whatever it is told. */
  isQuick?: boolean
  /** A session to go on with. */
  sessionId?: string
  /** Before it connects. */
  prepare?(client: Client): void
}

export interface Connected {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport
  readonly http: Recorder
  /** What the `onerror` of every client of the test was told: it ends with none. */
  readonly faults: Error[]
}

/** A client of the server at `url`; it closes with the test. */
export async function connectSdk1(t: Test, url: string, options: ConnectOptions = {}): Promise<Connected> {
  const { over, version, isQuick, sessionId, prepare, ...clientOptions } = options
  const faults = faultsOf(t)
  const http = recorder(version, isQuick)
  const client = new Client({ name: 'test', version: '1.0.0' }, clientOptions)
  client.onerror = error => faults.push(error)
  prepare?.(client)
  const transport =
    over === 'HTTP+SSE'
      ? new SSEClientTransport(new URL('/sse', url), { fetch: http.fetch })
      : new StreamableHTTPClientTransport(new URL(url), { fetch: http.fetch, sessionId })
  t.teardown(async () => {
    // It takes its own closing for a fault of its streams.
    client.onerror = () => {}
    await client.close()
  })
  await client.connect(transport)
  return { client, transport, http, faults }
}

/** A server, and a client that is connected to it. */
export async function serveSdk1(
  t: Test,
  server: ServerOptions,
  options: ConnectOptions = {},
): Promise<Connected & { app: App; url: string; port: number }> {
  faultsOf(t)
  const served = await listening(t, { httpSse: options.over === 'HTTP+SSE', ...server })
  return { ...served, ...(await connectSdk1(t, served.url, options)) }
}
