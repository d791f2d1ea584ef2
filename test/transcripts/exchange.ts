// One HTTP exchange of a transcript over a socket: what was answered, as it comes.
import http from 'node:http'
import type { WireMessage } from '../support/wire/modern.ts'

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Every message so far. A batch counts as one. */
  readonly messages: WireMessage[]
  /** Resolves when that many messages are there, or the reply has ended. */
  has(count: number): Promise<void>
  readonly ended: Promise<void>
  leave(): void
}

export interface Sent {
  readonly url: string
  readonly verb: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

export function exchange({ url, verb, headers, body }: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: verb, headers, agent: false })
    request.on('error', reject).on('response', response => resolve(replyOf(request, response)))
    request.end(body)
  })
}

function replyOf(request: http.ClientRequest, response: http.IncomingMessage): Reply {
  const messages: WireMessage[] = []
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
  let wake = () => {}
  let rest = ''
  let hasEnded = false
  const ended = new Promise<void>(resolve => {
    const end = () => {
      if (!isStream && rest !== '') messages.push(JSON.parse(rest))
      rest = ''
      hasEnded = true
      wake()
      resolve()
    }
    response.on('end', end).on('error', end).on('close', end)
  })
  response.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk
    if (!isStream) return
    const lines = rest.split('\n')
    rest = lines.pop()!
    // An event without data only says where to go on from.
    for (const line of lines) if (/^data:\s*\S/.test(line)) messages.push(JSON.parse(line.slice(5)))
    wake()
  })
  const has = async (count: number) => {
    while (messages.length < count && !hasEnded)
      await new Promise<void>(resolve => {
        wake = resolve
      })
  }
  const { statusCode: status = 0, headers } = response
  return { status, headers, messages, has, ended, leave: () => request.destroy() }
}
