// Requests to an authorization server. They follow no redirects, bound the answer, and name the
// cause of an error, such as a refused connection or a certificate.

import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { hideCredentials, readErrorMessage } from 'toolrack/text'

/** The message says why, and never quotes the answer. */
export class FetchError extends Error {
  override name = 'FetchError'
  /** The status of the answer; undefined without an answer. */
  readonly status: number | undefined

  constructor(text: string, status?: number) {
    super(hideCredentials(text))
    this.status = status
  }
}

/** How long a request may take, ms. */
export const FETCH_TIMEOUT_MS = 5000

/**
 * @param maxBytes of the body
 * @returns the status, the media type and the body, without other headers
 * @throws FetchError without an answer, or if it is a redirect or too large
 */
export async function fetchBounded(url: string, init: RequestInit, maxBytes: number): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' }).catch(rethrow)
  const { status } = response
  if (isRedirect(status)) {
    await response.body?.cancel()
    throw new FetchError(`a redirect (HTTP ${status}), which is not followed`, status)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new FetchError(`an answer larger than ${maxBytes} bytes`, status)
      chunks.push(chunk)
    }
  } catch (error) {
    rethrow(error)
  }
  const contentType = response.headers.get('content-type')
  return new Response(isBodyless(status) ? null : Buffer.concat(chunks), {
    status,
    headers: contentType === null ? {} : { 'content-type': contentType },
  })
}

export interface JsonRequest extends Pick<RequestInit, 'method' | 'headers' | 'body'> {
  /** Maximum size of the answer's body. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** The object in an answer of status 200. @throws FetchError */
export async function fetchJson(url: string, { maxBytes, signal, ...init }: JsonRequest): Promise<JsonObject> {
  const within = AbortSignal.any([AbortSignal.timeout(FETCH_TIMEOUT_MS), signal])
  const headers = { accept: 'application/json', ...init.headers }
  const response = await fetchBounded(url, { ...init, headers, signal: within }, maxBytes)
  const { status } = response
  if (status !== 200) throw new FetchError(`HTTP ${status}`, status)
  const value: unknown = await response.json().catch(() => undefined)
  if (!isObject(value)) throw new FetchError('the answer is not a JSON object', status)
  return value
}

const isRedirect = (status: number) => status >= 300 && status < 400

/** `Response` refuses a body with these. Redirects were refused before. */
const isBodyless = (status: number) => [204, 205].includes(status)

const UNKNOWN_AUTHORITY = 'NODE_EXTRA_CA_CERTS names the file of a private CA'

/** Advice, by the code of the cause. */
const HINTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  // A proxy does not open a tunnel.
  UND_ERR_ABORTED: 'HTTPS_PROXY and NO_PROXY say what goes by a proxy',
}

// Node only says "fetch failed"; the last cause has the reason.
function rethrow(error: unknown): never {
  const { name, message } = error as Error
  if (name === 'TimeoutError') throw new FetchError(`no answer in ${FETCH_TIMEOUT_MS} ms`)
  if (name !== 'TypeError') throw error
  const cause = findRoot(error)
  const { code } = cause as { code?: unknown }
  const hint = typeof code === 'string' && Object.hasOwn(HINTS, code) ? HINTS[code] : undefined
  throw new FetchError([readErrorMessage(cause) || message, hint].filter(Boolean).join('; '))
}

const MAX_CAUSES = 8

function findRoot(error: unknown): object {
  let root = error as Error
  for (let depth = 0; root.cause instanceof Error && depth < MAX_CAUSES; depth++) root = root.cause
  return root
}
