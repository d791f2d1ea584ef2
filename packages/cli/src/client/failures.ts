// Explains in one line why a server could not be reached or asked, and what to do.
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { readErrorMessage, toVisibleLine } from 'toolrack/text'
import { CommandError } from '../errors.ts'
import type { Target } from './target.ts'

const PROXY_REFUSES = 'the proxy does not let it through; check HTTPS_PROXY, and name hosts that need none in NO_PROXY'

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start a server with `toolrack`, or check the port',
  ENOTFOUND: 'the host name is not known; check its spelling',
  EAI_AGAIN: 'the name could not be looked up; check the network',
  ECONNRESET: 'the connection was cut; is it https, not http, or the reverse?',
  ETIMEDOUT: 'it does not answer; check the address and the firewall',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer; check the address and the firewall',
  UND_ERR_SOCKET: 'the connection was cut; is it https, not http, or the reverse?',
  EHOSTUNREACH: 'there is no way to this address; check the network',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; set NODE_EXTRA_CA_CERTS to its file',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown authority; set NODE_EXTRA_CA_CERTS to its file',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown authority; set NODE_EXTRA_CA_CERTS to its file',
  ERR_PROXY_TUNNEL: PROXY_REFUSES,
  UND_ERR_ABORTED: PROXY_REFUSES,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; write http instead of https',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS; write http instead of https',
}

const REFUSED: Readonly<Record<number, string>> = {
  403: 'refuses this caller: the token may lack a scope, or the server refuses this host',
  404: 'has no MCP endpoint at this path; most servers have it at /mcp',
  405: 'has no MCP endpoint at this path; most servers have it at /mcp',
  429: 'refuses more requests for now; try again later',
  500: 'has failed; its log says why',
  502: 'answers that what stands behind it is down',
  503: 'is busy or ends; try again later',
  504: 'answers that what stands behind it does not answer',
}

export function getStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status
  if (error instanceof SseError) return error.code
  return error instanceof SdkError ? findCausedStatus(error) : undefined
}

function findCausedStatus({ cause, data }: SdkError): number | undefined {
  const { status } = Object(data) as { status?: unknown }
  return typeof status === 'number' ? status : cause === undefined ? undefined : getStatus(cause)
}

export const getNetworkCode = (error: unknown): string | undefined => {
  // An `SseError` keeps only the text of its cause.
  if (error instanceof SseError) return error.message.match(/[A-Z_]{6,}/g)?.find(code => code in UNREACHABLE)
  for (const each of listCauses(error)) {
    const { code } = each as NodeJS.ErrnoException
    if (typeof code === 'string' && (code in UNREACHABLE || 'syscall' in each)) return code
    // The addresses of a name were tried one after the other.
    if (each instanceof AggregateError && each.errors.length > 0) return getNetworkCode(each.errors[0])
  }
  return undefined
}

const MAX_CAUSES = 8

/** The error and its causes. The client keeps some causes in its data. */
function listCauses(error: unknown): readonly Error[] {
  const found: Error[] = []
  for (let each = error; each instanceof Error && found.length < MAX_CAUSES; ) {
    found.push(each)
    each = each.cause ?? (each instanceof SdkError ? (Object(each.data) as { cause?: unknown }).cause : undefined)
  }
  return found
}

export const explainNetworkCode = (code: string): string => UNREACHABLE[code] ?? code

/** Converts errors of the client to ours. Others stay as they are. */
export function explainFailure(error: unknown, url: URL, { token }: Target): unknown {
  const where = `${url.origin}${url.pathname}`
  const own = listCauses(error).find(each => each instanceof CommandError)
  if (own !== undefined) return own
  const code = getNetworkCode(error)
  if (code !== undefined) return new CommandError(`${where}: ${explainNetworkCode(code)}`, { cause: error })
  const status = getStatus(error)
  if (status === 401 || error instanceof UnauthorizedError)
    return new CommandError(`${where} ${token === undefined ? explainNeed(url) : BAD_TOKEN}`, { cause: error })
  if (error instanceof InsufficientScopeError)
    return new CommandError(toVisibleLine(`${where} ${explainScope(error, url)}`), { cause: error })
  if (status !== undefined && status in REFUSED)
    return new CommandError(`${where} ${REFUSED[status]} (${status})`, { cause: error })
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new CommandError(`${where} did not answer in time; --timeout 5m waits longer`, { cause: error })
  const foreign = findForeign(error)
  if (foreign !== undefined)
    return new CommandError(toVisibleLine(`${where} ${NOT_MCP}${foreign}; toolrack doctor ${where} says more`), {
      cause: error,
    })
  // The body of an answer could not be parsed.
  if (error instanceof SyntaxError) return new CommandError(`${where} does not answer with JSON`, { cause: error })
  if (error instanceof SseError) return new CommandError(toVisibleLine(`${where}: ${error.message}`), { cause: error })
  const cause = findFetchCause(error)
  if (cause !== undefined) return new CommandError(toVisibleLine(`${where}: ${cause}`), { cause: error })
  if (error instanceof ProtocolError || error instanceof SdkError)
    return new CommandError(toVisibleLine(`${where}: ${error.message.slice(0, MAX_MESSAGE)}`), { cause: error })
  return error
}

const NOT_MCP = 'does not answer as an MCP server does'

/**
 * Finds out whether the answer is a page, or JSON of another kind.
 *
 * @returns the difference, if it is short
 */
function findForeign(error: unknown): string | undefined {
  for (const each of listCauses(error)) {
    if (each.name === 'ZodError') return ''
    if (each instanceof SdkError && each.code === SdkErrorCode.ClientHttpUnexpectedContent) return ` (${each.message})`
  }
  return undefined
}

const explainScope = ({ requiredScope }: InsufficientScopeError, { href }: URL): string =>
  requiredScope === undefined
    ? 'wants a token with the scope for this call; set TOOLRACK_TOKEN to such a one (403)'
    : `wants a token with the scope ${requiredScope}: toolrack login ${href} --scope "${requiredScope}", or set TOOLRACK_TOKEN to such a one (403)`

/** The cause of `fetch failed`, a message that says nothing itself. */
function findFetchCause(error: unknown): string | undefined {
  const failed = listCauses(error).find(({ message }) => message === 'fetch failed')
  return failed && (readErrorMessage(failed.cause) || failed.message)
}

const MAX_MESSAGE = 2000
const explainNeed = ({ href }: URL): string =>
  `needs an access token or an API key: sign in by toolrack login ${href}, or set TOOLRACK_TOKEN (for your own server: \`toolrack token\`, or \`toolrack key create\`)`
const BAD_TOKEN = 'refuses the access token: it may have expired, or be for another server'
