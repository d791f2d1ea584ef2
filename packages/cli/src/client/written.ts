// Keeps the numbers of results as the server wrote them. The client reads a message as usual; if a
// number would change, the message also carries its text.
import { randomUUID } from 'node:crypto'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { JsonObject } from 'toolrack'
import { isChanged, parseWritten, type RawJson } from 'toolrack/plain-results'
import { isObject } from 'toolrack/protocol'

/** Key in `_meta` of a result, and in `data` of an error. It is random, so a server cannot set it. */
const META_WRITTEN = `toolrack/written-${randomUUID()}`

// TypeScript does not declare it yet.
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is RawJson }

/** The result with its numbers as they are written. */
export function readWritten<T extends object>(result: T): T {
  const { _meta } = result as JsonObject
  const text = isObject(_meta) ? _meta[META_WRITTEN] : undefined
  return typeof text === 'string' ? ((parseWritten(text) as JsonObject)['result'] as T) : result
}

/** The data of an error, which are an object, with their numbers as they are written. */
export function readWrittenData(data: unknown): unknown {
  const text = isObject(data) ? data[META_WRITTEN] : undefined
  return typeof text === 'string' ? (parseWritten(text) as { error: JsonObject }).error['data'] : data
}

/** A number as it is written; undefined for anything else. */
export function findNumberText(value: unknown): string | undefined {
  if (typeof value === 'number') return JSON.stringify(value)
  return isRawJSON(value) ? value.rawJSON : undefined
}

/** A `fetch` whose answers also carry the text of messages, as JSON or as a stream of events. */
export const keepWritten =
  (fetch: FetchLike): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init)
    const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
    if (!response.ok || response.body === null) return response
    if (type === 'application/json') replace(response, 'json', async () => addWritten(await response.text()))
    if (type === 'text/event-stream') replace(response, 'body', response.body.pipeThrough(createEventStream()))
    return response
  }

/**
 * Keeps the rest of the response, which a new response would lack, because the client reads it, too.
 */
const replace = (response: Response, name: 'json' | 'body', value: unknown) =>
  Object.defineProperty(response, name, { value })

/** @throws SyntaxError */
function addWritten(text: string): unknown {
  let isLossy = false
  const message: unknown = JSON.parse(text, (_key, value, context?: { source?: string }) => {
    isLossy ||= isChanged(value, context?.source)
    // Infinite numbers stay, since schemas refuse them.
    return value === Number.POSITIVE_INFINITY
      ? Number.MAX_VALUE
      : value === Number.NEGATIVE_INFINITY
        ? -Number.MAX_VALUE
        : value
  })
  if (!isLossy || !isObject(message)) return message
  const { result, error } = message
  const carried = { [META_WRITTEN]: text }
  if (isObject(result))
    return { ...message, result: { ...result, _meta: { ...(result['_meta'] as object), ...carried } } }
  if (!isObject(error) || !isObject(error['data'])) return message
  return { ...message, error: { ...error, data: { ...error['data'], ...carried } } }
}

/** Passes events on once they are complete, with their text. */
function createEventStream(): ReadableWritablePair<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let held = ''
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // The end of an event may begin in the previous chunk.
      const from = Math.max(0, held.length - 3)
      held += decoder.decode(chunk, { stream: true })
      for (let end = findEventEnd(held, from); end !== -1; end = findEventEnd(held, 0)) {
        controller.enqueue(encoder.encode(rewriteEvent(held.slice(0, end))))
        held = held.slice(end)
      }
    },
    flush: controller => controller.enqueue(encoder.encode(held + decoder.decode())),
  })
  return { readable, writable }
}

function findEventEnd(text: string, from: number): number {
  const end = /\r\n\r\n|\n\n|\r\r/g
  end.lastIndex = from
  return end.test(text) ? end.lastIndex : -1
}

function rewriteEvent(event: string): string {
  const lines = event.split(/\r\n|\n|\r/)
  const data = lines.filter(line => line.startsWith('data:')).map(line => line.slice('data:'.length).replace(/^ /, ''))
  try {
    const others = lines.filter(line => !line.startsWith('data:') && line !== '')
    return [...others, `data: ${JSON.stringify(addWritten(data.join('\n')))}`, '', ''].join('\n')
  } catch {
    return event
  }
}
