// A fetch that notes what a client sends. Answers go through untouched, so that a client reads them as they come.
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'

export interface Sent {
  /** Of HTTP. */
  readonly verb: string
  /** Of the message; undefined where there is none, or it answers something. */
  readonly method: string | undefined
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what was sent freely
  readonly message: any
  status: number | undefined
  contentType: string | null
}

export interface Recorder {
  readonly fetch: FetchLike
  /** Every request, in order. */
  readonly sent: Sent[]
  /** Those of one method, or of one verb of HTTP. */
  of(methodOrVerb: string): Sent[]
}

/** In place of the seconds after which a client is told to come back, a moment. */
function sooner(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const text = new TransformStream<string, string>({
    transform: (chunk, controller) => controller.enqueue(chunk.replaceAll(/^retry: \d+$/gm, 'retry: 50')),
  })
  // The types of Node and of the DOM differ.
  const decoder = new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>
  return body.pipeThrough(decoder).pipeThrough(text).pipeThrough(new TextEncoderStream())
}

/** @param version what `initialize` asks for, whatever the client says: the client then speaks what is settled on */
export function recorder(version?: string, isQuick = false): Recorder {
  const sent: Sent[] = []
  return {
    sent,
    of: what => sent.filter(({ verb, method }) => verb === what || method === what),
    async fetch(url, init) {
      const message = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
      if (version !== undefined && message?.method === 'initialize') message.params.protocolVersion = version
      const record: Sent = {
        verb: init?.method ?? 'GET',
        method: message?.method,
        headers: new Headers(init?.headers),
        message,
        status: undefined,
        contentType: null,
      }
      sent.push(record)
      const response = await fetch(url, { ...init, body: message === undefined ? undefined : JSON.stringify(message) })
      record.status = response.status
      record.contentType = response.headers.get('content-type')
      const isStream = record.contentType?.startsWith('text/event-stream')
      return isQuick && isStream && response.body ? new Response(sooner(response.body), response) : response
    },
  }
}
