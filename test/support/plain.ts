// A client of plain HTTP: what curl sends, and what it gets back.
import type { FastifyInstance } from 'fastify'

export interface PlainCall {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** As `curl -d`. */
  readonly form?: string
  /** As `curl --json`. */
  readonly json?: unknown
}

/** Sends one request: a POST if it has a body. */
export async function plain(app: FastifyInstance, url: string, call: PlainCall = {}) {
  const { form, json, headers = {} } = call
  const method = call.method ?? (form === undefined && json === undefined ? 'GET' : 'POST')
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const hasBody = form !== undefined || json !== undefined
  const reply = await app.inject({
    method: method as 'GET',
    url,
    headers: { host: 'localhost', accept: '*/*', ...(hasBody && { 'content-type': type }), ...headers },
    ...(hasBody && { payload: form ?? JSON.stringify(json) }),
  })
  return {
    status: reply.statusCode,
    headers: reply.headers,
    type: String(reply.headers['content-type'] ?? '').split(';', 1)[0]!,
    text: reply.body,
    bytes: reply.rawPayload,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    get body(): any {
      return JSON.parse(reply.body)
    },
  }
}

export const PROBLEM = 'application/problem+json'

/** The last part of a problem's type. */
export const problemOf = (body: { readonly type: string }): string => body.type.split(':').at(-1)!
