// The official client of the newest revision, in each of its modes: it may also speak the revisions with a handshake.
import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, listening, VERSION } from '../app.ts'
import { faultsOf } from './faults.ts'
import { type Recorder, recorder } from './recorder.ts'

/** What a mode is, and the revision that it comes to. */
export const MODES = [
  { name: 'legacy', mode: 'legacy', version: '2025-11-25' },
  { name: 'auto', mode: 'auto', version: VERSION },
  { name: 'pinned', mode: { pin: VERSION }, version: VERSION },
] as const

export type Mode = (typeof MODES)[number]['mode']

export interface ConnectOptions extends ClientOptions {
  mode: Mode
  /** HTTP+SSE in place of Streamable HTTP. */
  sse?: boolean
  /** Where to connect to, in place of the server at this port. */
  via?(port: number): Promise<string>
  /** Before it connects. */
  prepare?(client: Client): void
}

export interface Connected {
  readonly app: App
  readonly port: number
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport
  readonly http: Recorder
  /** What the client's `onerror` was told: a test ends with none. */
  readonly faults: Error[]
}

/** A server, and a client that is connected to it in a mode; both close with the test. */
export async function connectMode(
  t: Test,
  server: ServerOptions,
  { mode, sse = false, via, prepare, ...options }: ConnectOptions,
): Promise<Connected> {
  const faults = faultsOf(t)
  const { app, url: direct, port } = await listening(t, { httpSse: sse, ...server })
  const url = (await via?.(port)) ?? direct
  const http = recorder()
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
  client.onerror = error => faults.push(error)
  prepare?.(client)
  const { fetch } = http
  const transport = sse
    ? new SSEClientTransport(new URL('/sse', url), { fetch })
    : new StreamableHTTPClientTransport(new URL(url), { fetch })
  t.teardown(async () => {
    // It takes its own closing for a fault of its streams.
    client.onerror = () => {}
    await client.close()
  })
  await client.connect(transport)
  return { app, port, client, transport, http, faults }
}
