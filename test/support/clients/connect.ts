// The official client against a listening server: pinned to the revision, every response checked on its way in.
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, listening, VERSION } from '../app.ts'
import { assertWire, type WireMessage } from '../wire/modern.ts'

export { eventually as until } from '../eventually.ts'

type Fetch = NonNullable<StreamableHTTPClientTransportOptions['fetch']>

export interface Sent {
  readonly method: string
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what was sent freely
  readonly params: any
  status: number | undefined
  contentType: string
  /** What came back so far, checked. */
  readonly messages: WireMessage[]
}

export interface Connected {
  readonly app: App
  readonly client: Client
  readonly url: string
  /** Every request that the client has sent, in order. */
  readonly sent: Sent[]
  /** What the client's `onerror` was told, and answers that break the schema: a test ends with none. */
  readonly faults: Error[]
  /** The last request of a method. */
  lastSent(method: string): Sent
}

/** A server with `options`, and a client that is connected to it; both close with the test. */
export async function connect(
  t: Test,
  options: ServerOptions,
  clientOptions: ClientOptions = {},
  prepare: (client: Client) => void = () => {},
): Promise<Connected> {
  const tap = tapped()
  // Runs last. A throw fails the test: teardown comes too late for an assertion.
  t.teardown(() => {
    if (tap.faults.length > 0) throw new AggregateError(tap.faults, tap.faults.map(String).join('; '))
  })
  const { app, url } = await listening(t, options)
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: VERSION } }, ...clientOptions },
  )
  client.onerror = error => tap.faults.push(error)
  prepare(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: tap.fetch }))
  t.teardown(async () => {
    await client.close()
    await Promise.all(tap.reading)
  })
  const lastSent = (method: string) => {
    const found = tap.sent.findLast(each => each.method === method)
    if (found === undefined) throw new Error(`${method} was not sent`)
    return found
  }
  return { app, client, url, sent: tap.sent, faults: tap.faults, lastSent }
}

// What the client reads is read here too: one copy of each body goes through the schema.
export function tapped(fetch: Fetch = globalThis.fetch) {
  const sent: Sent[] = []
  const faults: Error[] = []
  const reading: Promise<void>[] = []
  const fetchTapped: Fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
    const record: Sent = {
      method: body.method ?? init?.method ?? 'GET',
      headers: new Headers(init?.headers),
      params: body.params,
      status: undefined,
      contentType: '',
      messages: [],
    }
    sent.push(record)
    const response = await fetch(input, init)
    record.status = response.status
    record.contentType = response.headers.get('content-type') ?? ''
    if (response.body === null) return response
    const [theirs, ours] = response.body.tee()
    const { signal } = init ?? {}
    reading.push(read(ours, record).catch(error => signal?.aborted || faults.push(error)) as Promise<void>)
    return new Response(theirs, response)
  }
  return { sent, faults, reading, fetch: fetchTapped }
}

async function read(body: ReadableStream<Uint8Array>, record: Sent): Promise<void> {
  const isStream = record.contentType.startsWith('text/event-stream')
  const take = (json: string) => record.messages.push(assertWire(JSON.parse(json), record.method))
  let rest = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    rest += chunk
    if (!isStream) continue
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line.startsWith('data: {') || line.startsWith('data: [')) take(line.slice(6))
  }
  if (!isStream && rest !== '') take(rest)
}
