// Sends one bounded GET for JSON. Every failure becomes an error that tells the model what to do
// next.
import { ToolError } from 'toolrack'
import { baseUrl, below } from '../_web/base-url.ts'
import { type JsonObject, parseObject } from '../_web/json.ts'

const MAX_BYTES = 512 * 1024
const MAX_REASON = 200

export interface Api {
  /** The environment variable that can set another URL. */
  readonly setting: string
  readonly endpoint: URL
}

/** @throws Error if the variable is no usable URL */
export function apiOf(setting: string, usual: string, path: string): Api {
  return { setting, endpoint: below(baseUrl(setting, process.env[setting] || usual), path) }
}

/** @throws ToolError for failures upstream; the signal's reason if the caller has left */
export async function ask(api: Api, query: Record<string, string>, signal: AbortSignal): Promise<JsonObject> {
  const url = new URL(api.endpoint)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  // No redirects, not even to the same host: one could lead into the server's own network.
  const options = { signal, redirect: 'manual', headers: { accept: 'application/json' } } as const
  const response = await fetch(url, options).catch(error => {
    throw failureOf(error, signal, 'cannot be reached')
  })
  const text = await read(response, api).catch(error => {
    throw failureOf(error, signal, 'broke off in the middle of its answer')
  })
  const body = parseObject(text)
  if (!response.ok || body?.['error'] === true) throw refusalOf(api, response.status, body)
  if (body === undefined) throw malformed(api, 'it is not a JSON object')
  return body
}

async function read(response: Response, api: Api): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Counted after decompression; leaving the loop closes the connection.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw malformed(api, `it is larger than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function failureOf(error: unknown, signal: AbortSignal, what: string): unknown {
  if (error instanceof ToolError) return error
  if (!signal.aborted) return new ToolError(`The weather service ${what}. Try again in a minute.`, { cause: error })
  if ((signal.reason as Error).name !== 'TimeoutError') return signal.reason
  return new ToolError('The weather service did not answer in time. Try again in a minute.')
}

function refusalOf({ setting }: Api, status: number, body: JsonObject | undefined): ToolError {
  const { reason } = body ?? {}
  const because = typeof reason === 'string' ? `, saying ${JSON.stringify(reason.slice(0, MAX_REASON))}` : ''
  const answered = `The weather service answered HTTP ${status}${because}.`
  if (status === 429) {
    const wait = because === '' ? 'a minute' : 'as long as it says'
    return new ToolError(`${answered} It has had too many requests: wait ${wait}, then try once.`)
  }
  if (status >= 500) return new ToolError(`${answered} It is failing: try again in a few minutes.`)
  if (status >= 300 && status < 400) {
    return new ToolError(`${answered} Redirects are not followed: the operator should check ${setting}.`)
  }
  if (status > 400) return new ToolError(`${answered} The operator should check ${setting}.`)
  return new ToolError(`${answered} Do not repeat this call as it is: try another spelling of the location.`)
}

export function malformed({ setting }: Api, what: string): ToolError {
  return new ToolError(
    `The answer of the weather service cannot be used: ${what}. Try again later; if it stays so, the operator should ` +
      `check ${setting}.`,
  )
}
