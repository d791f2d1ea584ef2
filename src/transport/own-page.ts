// Whether a page of this server sent a request, as its browser says. Only the console has scripts.
import { getHeader, type Headers } from '../protocol/headers.ts'

/** Browsers say neither header for a page of others; a program can claim both. */
export function isFromOwnPage(headers: Headers): boolean {
  if (headers['sec-fetch-site'] === 'same-origin') return true
  // Only secure pages send the first.
  const origin = getHeader(headers, 'origin')
  return origin !== undefined && URL.parse(origin)?.host === headers['host']
}
