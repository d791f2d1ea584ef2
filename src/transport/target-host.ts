// The host of a request: from an absolute request target if there is one, despite the Host header.
// RFC 9112, 3.2.2.
import type { FastifyRequest } from 'fastify'
import { McpError } from '../protocol/errors.ts'

const SLASH = 47
/** Excludes userinfo, which RFC 9110, 4.2.4 treats as a likely attempt to mislead. */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)(?=[/?#]|$)/i

type UrlRequest = Pick<FastifyRequest, 'originalUrl'>

/** Whether the request target is a path, as in nearly all requests. */
export const isOriginForm = ({ originalUrl }: UrlRequest): boolean => originalUrl.charCodeAt(0) === SLASH

/** @returns undefined if the target names no host; empty if it names an invalid one */
export function findTargetHost(request: UrlRequest): string | undefined {
  const { originalUrl } = request
  if (isOriginForm(request) || originalUrl === '*') return undefined
  return ABSOLUTE.exec(originalUrl)?.[1] ?? ''
}

/** RFC 9112, 3.2: an HTTP/1.1 request must have a Host header. */
export const lacksHost = ({ raw, headers }: FastifyRequest): boolean =>
  headers.host === undefined && raw.httpVersion === '1.1'

export const createHostRequiredError = () => new McpError('INVALID_REQUEST', 'HTTP/1.1 needs a Host header')
