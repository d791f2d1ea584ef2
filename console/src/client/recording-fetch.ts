// The fetch of the client's transport: it logs every JSON-RPC message before the client sees it.
import { createParser } from 'eventsource-parser'
import type { CallLinks } from './call-links.ts'
import { parseMessages, type RawMessage } from './json-rpc.ts'
import type { LoggedMessage, MessageLog } from './message-log.ts'

/** Marks the requests of a call; it never leaves the page. */
export const CALL_HEADER = 'console-call'

export interface RecordingOptions {
  readonly log: MessageLog
  readonly links: CallLinks
  /** Adds the user's token. */
  readonly fetch: typeof fetch
  onMessage(message: RawMessage, logged: LoggedMessage): void
  /** After each answer; `undefined` if there was none. */
  onAnswer(request: { readonly method: string; readonly headers: Headers }, status: number | undefined): void
}

interface Origin {
  readonly direction: 'sent' | 'received'
  readonly callId: number | undefined
  readonly headers?: Headers
  readonly status?: number
}

export function createRecordingFetch(options: RecordingOptions): typeof fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    const mark = headers.get(CALL_HEADER)
    const callId = mark === null ? undefined : Number(mark)
    headers.delete(CALL_HEADER)
    if (typeof init.body === 'string') record(options, init.body, { direction: 'sent', callId, headers })
    const request = { method: init.method ?? 'GET', headers }
    const response = await options.fetch(input, { ...init, headers }).catch((error: unknown) => {
      if (!init.signal?.aborted) options.onAnswer(request, undefined)
      throw error
    })
    options.onAnswer(request, response.status)
    return recordAnswer(options, response, callId)
  }
}

async function recordAnswer(
  options: RecordingOptions,
  response: Response,
  callId: number | undefined,
): Promise<Response> {
  const origin: Origin = { direction: 'received', callId, headers: response.headers, status: response.status }
  const { body, headers, status, statusText } = response
  if (body === null) return response
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') record(options, text, origin)
    return new Response(text === '' ? null : text, { status, statusText, headers })
  }
  const parser = createParser({ onEvent: ({ data }) => data !== '' && record(options, data, origin) })
  const decoder = new TextDecoder()
  const noted = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        parser.feed(decoder.decode(chunk, { stream: true }))
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(noted, { status, statusText, headers })
}

/** Shown with a message; never the token. */
const listHeaders = (headers: Headers): readonly (readonly [string, string])[] =>
  [...headers].filter(([name]) => name !== 'authorization')

function record({ log, links, onMessage }: RecordingOptions, text: string, origin: Origin): void {
  const { direction, status } = origin
  const headers = origin.headers && listHeaders(origin.headers)
  const messages = parseMessages(text)
  if (messages.length === 0) {
    log.add({ direction, summary: status === undefined ? 'text' : `HTTP ${status}`, text, status, headers })
  }
  for (const message of messages) {
    const callId = links.find(direction, message, origin.callId)
    const own = messages.length === 1 ? text : JSON.stringify(message)
    const summary = summarize(message, status)
    onMessage(message, log.add({ direction, summary, id: message.id, callId, text: own, status, headers }))
  }
}

function summarize({ method, error, result }: RawMessage, status: number | undefined): string {
  if (method !== undefined) return method
  if (error !== undefined) return `error ${error.code}`
  if (result === undefined) return `HTTP ${status}`
  const type = result['resultType']
  return typeof type === 'string' && type !== 'complete' ? `result: ${type}` : 'result'
}
