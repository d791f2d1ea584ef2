// Sends one request to GitHub's REST API, bounded in time and size. It follows no redirects: token
// and issue are meant only for the host and the repository that the operator has set.
import type { GitHub } from './settings.ts'

/** Timeout of each request. */
const TIMEOUT_MS = 10_000
/**
 * 100 issues with bodies of 65,536 characters take at most 26 MB, so that large issues in a
 * repository cannot prevent new ones.
 */
const MAX_BYTES = 32 * 1024 * 1024

const silent = { debug() {}, info() {}, warn() {}, error() {} }

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number | undefined>>
  readonly data: unknown
}

export type Ask = (route: string, parameters: Record<string, unknown>, signal: AbortSignal) => Promise<Reply>

/** @returns a function that resolves for any status, and throws only if GitHub cannot answer */
export function asker({ apiUrl, token }: GitHub): Ask {
  return async (route, parameters, signal) => {
    // Loaded at the first call, since most servers never file an issue.
    const { Octokit } = await import('@octokit/core')
    const timed = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const octokit = new Octokit({ auth: token, baseUrl: apiUrl, userAgent: 'toolrack', log: silent })
    const headers = { 'x-github-api-version': '2022-11-28' }
    const request = { signal: timed, fetch: boundedFetch, log: silent }
    try {
      return await octokit.request(route, { ...parameters, headers, request })
    } catch (error) {
      const reply = replyOf(error)
      if (reply !== undefined) return reply
      throw error
    } finally {
      // Octokit swallows the error of a response that breaks off.
      timed.throwIfAborted()
    }
  }
}

function replyOf(error: unknown): Reply | undefined {
  return error instanceof Error && 'response' in error ? (error.response as Reply | undefined) : undefined
}

async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const { status, headers } = response
  const body = status === 204 || status === 205 || status === 304 ? null : response.body
  return new Response(body?.pipeThrough(limited()) ?? null, { status, headers })
}

function limited(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_BYTES) controller.error(new Error(`larger than ${MAX_BYTES} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
