// Requests to an authorization server: without redirects, and with a bounded answer.

/**
 * @param maxBytes of the body
 * @returns the status, the media type and the body; other headers are left out
 * @throws Error if the answer is a redirect, or larger
 */
export async function fetchBounded(url: string, init: RequestInit, maxBytes: number): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`an answer larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const contentType = response.headers.get('content-type')
  return new Response(isBodyless(response.status) ? null : Buffer.concat(chunks), {
    status: response.status,
    headers: contentType === null ? {} : { 'content-type': contentType },
  })
}

/** `Response` refuses a body with these. */
const isBodyless = (status: number) => [204, 205, 304].includes(status)
