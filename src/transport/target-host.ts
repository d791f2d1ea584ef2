// The host that a request is for: that of its target where that is a whole URL, whatever the Host
// header says. RFC 9112, 3.2.2.
import type { FastifyRequest } from 'fastify'
import { McpError } from '../protocol/errors.ts'

const SLASH = 47
/** Without userinfo, which RFC 9110, 4.2.4 has us take for an attempt to mislead. */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)(?=[/?#]|$)/i

type UrlRequest = Pick<FastifyRequest, 'originalUrl'>

/** Whether its target is a path, as nearly always. */
export const isOriginForm = ({ originalUrl }: UrlRequest): boolean => originalUrl.charCodeAt(0) === SLASH

/** @returns undefined where the target names none; empty where what it names is no host */
export function findTargetHost(request: UrlRequest): string | undefined {
  const { originalUrl } = request
  if (isOriginForm(request) || originalUrl === '*') return undefined
  return ABSOLUTE.exec(originalUrl)?.[1] ?? ''
}

/** RFC 9112, 3.2: such a request is no request. */
export const lacksHost = ({ raw, headers }: FastifyRequest): boolean =>
  headers.host === undefined && raw.httpVersion === '1.1'

export const createHostRequiredError = () => new McpError('INVALID_REQUEST', 'HTTP/1.1 needs a Host header')
