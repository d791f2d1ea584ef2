// A client that listens to a stream over a real socket, and checks every message that comes.
import { once } from 'node:events'
import http from 'node:http'
import type { Test } from 'tap'
import { type CallOptions, request } from './request.ts'
import { assertWire, type WireMessage } from './wire/modern.ts'

export interface Listener {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Every message so far, checked. */
  readonly messages: WireMessage[]
  /** Comments of the stream, such as keep-alives. */
  readonly comments: string[]
  /** The message at `index`, as soon as it is there; rejects after 30 s or when the stream has ended before. */
  next(index: number): Promise<WireMessage>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Opens a stream over a real socket; the URL is that of a listening app. Closes with the test. */
export async function stream(
  t: Test,
  url: string,
  method: string,
  params?: Record<string, unknown>,
  options?: CallOptions,
): Promise<Listener> {
  const { message, headers } = request(method, params, options)
  const { host: _, ...rest } = headers
  const sent = http.request(url, { method: 'POST', headers: rest, agent: false })
  sent.end(JSON.stringify(message))
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const close = () => sent.destroy()
  sent.on('error', () => {})
  t.teardown(close)
  return { status: response.statusCode!, headers: response.headers, close, ...follow(response, method) }
}

/** Reads a stream until its end. */
function follow(response: http.IncomingMessage, method: string) {
  const messages: WireMessage[] = []
  const comments: string[] = []
  const waiting = new Set<() => void>()
  const wakeAll = () => {
    for (const wake of waiting) wake()
  }
  let unread = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unread + chunk).split('\n')
    unread = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data: {')) messages.push(assertWire(JSON.parse(line.slice(6)), method))
      else if (line.startsWith(':')) comments.push(line)
    }
    wakeAll()
  })
  let hasEnded = false
  const ended = new Promise<void>(resolve => {
    const end = () => {
      hasEnded = true
      wakeAll()
      resolve()
    }
    response.on('end', end).on('close', end).on('error', end)
  })
  const next = (index: number) => awaited({ messages, waiting, hasEnded: () => hasEnded }, index)
  return { messages, comments, ended, next }
}

interface Followed {
  readonly messages: readonly WireMessage[]
  /** Called with each message, and at the end. */
  readonly waiting: Set<() => void>
  hasEnded(): boolean
}

function awaited({ messages, waiting, hasEnded }: Followed, index: number): Promise<WireMessage> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`message ${index} did not come; have ${messages.length}`))
    const timer = setTimeout(() => done(late), 30_000)
    const done = (finish: () => void) => {
      clearTimeout(timer)
      waiting.delete(wake)
      finish()
    }
    const wake = () => {
      const found = messages[index]
      if (found !== undefined) done(() => resolve(found))
      else if (hasEnded()) done(() => reject(new Error(`the stream ended after ${messages.length} messages`)))
    }
    waiting.add(wake)
    wake()
  })
}
