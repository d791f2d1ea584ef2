// The fetch of the client's transport. It logs every HTTP request and JSON-RPC message before the
// client sees it.
import { createParser } from 'eventsource-parser'
import type { CallLinks } from './call-links.ts'
import { describeName, parseMessages, type RawMessage } from './json-rpc.ts'
import type { HttpExchange, LoggedMessage, MessageLog, Headers as Pairs } from './message-log.ts'

/** Marks the requests of a call; it never leaves the page. */
export const CALL_HEADER = 'console-call'

/** The server omits this page's own requests from its activity. */
const OWN_HEADER = ['toolrack-client', 'console'] as const

export interface RecordingOptions {
  readonly log: MessageLog
  readonly links: CallLinks
  /** Adds the user's token. */
  readonly fetch: typeof fetch
  /** @param text of the whole message */
  onMessage(message: RawMessage, logged: LoggedMessage, text: string): void
  /** After each answer; `undefined` if there was none. */
  onAnswer(request: { readonly method: string; readonly headers: Headers }, status: number | undefined): void
}

export function createRecordingFetch(options: RecordingOptions): typeof fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    const mark = headers.get(CALL_HEADER)
    headers.delete(CALL_HEADER)
    headers.set(...OWN_HEADER)
    const request = { method: init.method ?? 'GET', headers }
    const body = typeof init.body === 'string' ? init.body : undefined
    const url = new URL(input instanceof Request ? input.url : input)
    const exchange = new Recorder(options, { url, request, body, callId: mark === null ? undefined : Number(mark) })
    const response = await options.fetch(input, { ...init, headers }).catch((error: unknown) => {
      exchange.end(error)
      if (!init.signal?.aborted) options.onAnswer(request, undefined)
      throw error
    })
    options.onAnswer(request, response.status)
    return exchange.answer(response)
  }
}

interface Sent {
  readonly url: URL
  readonly request: { readonly method: string; readonly headers: Headers }
  readonly body: string | undefined
  readonly callId: number | undefined
}

/** Records one HTTP request and its answer. */
class Recorder {
  readonly #options: RecordingOptions
  readonly #http: HttpExchange
  readonly #callId: number | undefined
  readonly #repeats = new Map<string, { readonly times: number; readonly bytes: number }>()
  #bytes = 0
  #answered: { readonly status: number; readonly headers: Pairs } | undefined

  constructor(options: RecordingOptions, { url, request, body, callId }: Sent) {
    const messages = body === undefined ? [] : parseMessages(body)
    const [first] = messages
    this.#options = options
    this.#callId = callId
    this.#http = options.log.open({
      verb: request.method,
      path: url.pathname,
      method: first?.method,
      name: first && describeName(first),
      callId,
      requestHeaders: listHeaders(request.headers),
    })
    if (body !== undefined) this.#record('sent', body, messages)
  }

  async answer(response: Response): Promise<Response> {
    const { body, headers, status, statusText } = response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
    this.#answered = { status, headers: listHeaders(headers) }
    this.#options.log.change(this.#http.seq, { ...this.#answered, answeredAt: Date.now(), isStream })
    if (body === null) {
      this.end()
      return response
    }
    if (isStream) return new Response(this.#follow(body), { status, statusText, headers })
    const text = await response.text().catch((error: unknown) => {
      this.end(error)
      throw error
    })
    if (text !== '') this.#record('received', text, parseMessages(text))
    this.end()
    return new Response(text === '' ? null : text, { status, statusText, headers })
  }

  /** @param error if it broke off */
  end(error?: unknown): void {
    const failure = error === undefined ? {} : { failure: error instanceof Error ? error.message : String(error) }
    this.#options.log.change(this.#http.seq, { endedAt: Date.now(), bytes: this.#bytes, ...failure })
  }

  #follow(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const parser = createParser({
      onEvent: ({ data }) => data !== '' && this.#record('received', data, parseMessages(data)),
    })
    const decoder = new TextDecoder()
    const noted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        parser.feed(decoder.decode(chunk, { stream: true }))
        controller.enqueue(chunk)
      },
    })
    body.pipeTo(noted.writable).then(
      () => this.end(),
      error => this.end(error),
    )
    return noted.readable
  }

  #record(direction: 'sent' | 'received', text: string, messages: readonly RawMessage[]): void {
    if (messages.length === 0) this.#add(direction, text, undefined)
    for (const message of messages) {
      const own = messages.length === 1 ? text : JSON.stringify(message)
      this.#options.onMessage(message, this.#add(direction, own, message), own)
    }
  }

  #add(direction: 'sent' | 'received', text: string, message: RawMessage | undefined): LoggedMessage {
    const { log, links } = this.#options
    const { seq: http, at: sentAt, verb, path, requestHeaders } = this.#http
    const { status, headers } = this.#answered ?? {}
    const bytes = ENCODER.encode(text).length
    if (direction === 'received') this.#bytes += bytes
    return log.add({
      direction,
      kind: findKind(message),
      summary: summarize(message, status),
      method: message?.method,
      name: message && describeName(message),
      id: message?.id,
      callId: message && links.find(direction, message, this.#callId),
      http,
      verb,
      path,
      text,
      bytes,
      isError: message?.error !== undefined || message?.result?.['isError'] === true,
      ...(direction === 'sent' ? { headers: requestHeaders } : { headers, status, sentAt }),
      repeats: direction === 'received' && message?.id === undefined ? this.#count(message?.method, bytes) : undefined,
    })
  }

  #count(method: string | undefined, bytes: number): LoggedMessage['repeats'] {
    if (method === undefined) return undefined
    const before = this.#repeats.get(method) ?? { times: 0, bytes: 0 }
    const repeats = { times: before.times + 1, bytes: before.bytes + bytes }
    this.#repeats.set(method, repeats)
    return repeats
  }
}

const ENCODER = new TextEncoder()

/** Headers whose value may be a credential: only their names are shown. */
const SECRET = /auth|cookie|key|password|secret|token/

/** For display and export. The token itself never gets here. */
const listHeaders = (headers: Headers): Pairs =>
  [...headers]
    .filter(([name]) => name !== 'authorization')
    .map(([name, value]) => [name, SECRET.test(name) ? '(not shown)' : value])

function findKind(message: RawMessage | undefined): LoggedMessage['kind'] {
  if (message === undefined) return 'text'
  if (message.method === undefined) return 'answer'
  return message.id === undefined ? 'notification' : 'request'
}

function summarize(message: RawMessage | undefined, status: number | undefined): string {
  const { method, error, result } = message ?? {}
  if (method !== undefined) return method
  if (error !== undefined) return `error ${error.code}`
  if (result === undefined) return status === undefined ? 'text' : `HTTP ${status}`
  const type = result['resultType']
  return typeof type === 'string' && type !== 'complete' ? `result: ${type}` : 'result'
}
