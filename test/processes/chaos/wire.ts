// A client that sends over real sockets, and says of each request how it went: answered, refused for now, or cut off.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMessages, request } from '../../support/app.ts'
import type { WireMessage } from '../../support/wire/modern.ts'

/** The connection failed, or the proxy had nobody to send it to. */
export class CutOff extends Error {
  override name = 'CutOff'
}

export interface Said {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly message: WireMessage
}

export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** Longest that anything may take that is not told to wait, ms. */
const ANSWER_MS = 20_000
/** Only a run that fails comes near: on a busy machine a server may need half a minute to start. */
const AGAIN_MS = 180_000

export class Wire {
  readonly #url: string
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 256 })

  constructor(url: string) {
    this.#url = url
  }

  /** @throws CutOff */
  modern(method: string, params: Record<string, unknown>, capabilities: object = {}): Promise<Said> {
    const { message, headers } = request(method, params, { capabilities })
    return this.post(message, headers)
  }

  /** @throws CutOff */
  post(message: object, { host: _, ...headers }: Record<string, string>, method = 'POST'): Promise<Said> {
    return new Promise((resolve, reject) => {
      const cut = (error: Error) => reject(new CutOff(error.message))
      const sent = http.request(this.#url, { method, headers, agent: this.#agent, timeout: ANSWER_MS })
      sent.on('timeout', () => sent.destroy(new Error('no answer'))).on('error', cut)
      sent.on('response', response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => (text += chunk))
        response.on('error', cut).on('end', () => {
          const { statusCode: status = 0, headers } = response
          if (status === 502) return cut(new Error(text))
          try {
            resolve({ status, headers, message: lastOf(headers, text) })
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.end(JSON.stringify(message))
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

// Where something was told before the answer it is a stream, which in 2025-11-25 begins with an event without data.
function lastOf({ 'content-type': contentType = '' }: http.IncomingHttpHeaders, text: string): WireMessage {
  return readMessages(contentType, text.replaceAll(/^data: $/gm, '')).at(-1) ?? { jsonrpc: '2.0' }
}

export interface Persisted {
  /** Called each time before it is sent again. */
  again?(why: string): void
  /** Whether a server that is there may say that it cannot now. */
  readonly mayBeRefused: boolean
}

/** A stream that has opened already has the status 200. */
const isRefusedForNow = ({ status, message }: Said) => status === 503 || message.error?.code === 50300

/** Sends again what was cut off, or refused for now. @throws Error where it does not succeed in time */
export async function persist(send: () => Promise<Said>, { again, mayBeRefused }: Persisted): Promise<Said> {
  for (const endMs = performance.now() + AGAIN_MS; ; ) {
    const said = await send().catch(error => {
      if (error instanceof CutOff) return error
      throw error
    })
    if (!(said instanceof CutOff) && !(mayBeRefused && isRefusedForNow(said))) return said
    const why = said instanceof CutOff ? `cut off: ${said.message}` : `refused: ${said.message.error?.message}`
    if (performance.now() > endMs) throw new Error(`not within ${AGAIN_MS} ms: ${why}`)
    again?.(why)
    await sleep(50 + Math.random() * 200)
  }
}
