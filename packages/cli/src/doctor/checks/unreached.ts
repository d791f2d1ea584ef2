// Finds out why no answer came: nothing listens, TLS fails, or the port speaks another protocol than
// HTTP.
import { connect as open } from 'node:net'
import { connect as openSecure } from 'node:tls'
import { isLoopback } from 'toolrack/settings'
import { toVisibleLine } from 'toolrack/text'
import { explainNetworkCode, getNetworkCode } from '../../client/failures.ts'
import type { CheckContext, Fault } from '../check-context.ts'
import { BrokenAnswer, HttpTimeout } from '../http.ts'

export const NOBODY = 'No client can connect.'
const LOOK = 'look at the log of the server and of each proxy before it: where does the request stop?'

const FAULTS = {
  unreachable: {
    id: 'unreachable',
    severity: 'problem',
    effect: NOBODY,
    fix: 'check that the server runs, and that host, port and scheme are those of its log',
  },
  noTls: { id: 'no-tls', severity: 'problem', effect: NOBODY, fix: 'write http instead of https' },
  tlsFails: {
    id: 'tls-fails',
    severity: 'problem',
    effect: NOBODY,
    fix: 'let the server speak TLS 1.2 or 1.3, and check the port: another program may listen there',
  },
  certificate: {
    id: 'certificate',
    severity: 'problem',
    effect: 'Clients check it, as this command does, and do not connect.',
    fix: '',
  },
  otherLoopback: {
    id: 'other-loopback',
    severity: 'problem',
    effect: 'Whether a client connects by the name localhost depends on the address that it takes.',
    fix: 'let the server listen on 127.0.0.1, or give clients the address where it listens',
  },
  tlsPort: {
    id: 'tls-port',
    severity: 'problem',
    effect: NOBODY,
    fix: 'write https instead of http',
  },
  notHttp: {
    id: 'not-http',
    severity: 'problem',
    effect: NOBODY,
    fix: 'check the port: another program listens there',
  },
  silent: { id: 'silent', severity: 'problem', effect: NOBODY, fix: LOOK },
  brokenAnswer: { id: 'broken-answer', severity: 'problem', effect: NOBODY, fix: LOOK },
} as const satisfies Record<string, Fault>

export async function reportUnreached(context: CheckContext, error: unknown): Promise<void> {
  const { url } = context
  const code = getNetworkCode(error)
  if (error instanceof HttpTimeout) return context.report(FAULTS.silent, describeSilence(error))
  if (error instanceof BrokenAnswer) return context.report(FAULTS.brokenAnswer, error.message)
  if (url.protocol === 'http:' && (code === 'ECONNRESET' || isParseError(error)) && (await speaksTls(url)))
    return reportTlsPort(context)
  if (isParseError(error)) return context.report(FAULTS.notHttp, `port ${url.port || 80} does not speak HTTP`)
  const other = code === 'ECONNREFUSED' ? await findOtherLoopback(url) : undefined
  if (other !== undefined)
    return context.report(FAULTS.otherLoopback, `nothing listens at ${url.host}, and something does at ${other}`)
  const fix = code === undefined ? undefined : CERTIFICATE_FIXES[code]
  if (fix !== undefined) return context.report({ ...FAULTS.certificate, fix }, explainNetworkCode(code!))
  if (code !== undefined && HANDSHAKE_CODES.includes(code)) {
    const seen = `port ${url.port || 443}`
    if (await speaksHttp(context))
      return context.report(FAULTS.noTls, `${seen} does not speak TLS, and the URL says https`)
    return context.report(FAULTS.tlsFails, `${seen} answers, and a handshake of TLS fails there`)
  }
  if (code !== undefined) return context.report(FAULTS.unreachable, `cannot be reached: ${explainNetworkCode(code)}`)
  context.report(FAULTS.brokenAnswer, `the answer broke off: ${toVisibleLine((error as Error).message)}`)
}

export function reportTlsPort(context: CheckContext): void {
  context.report(FAULTS.tlsPort, `port ${context.url.port || 80} speaks TLS, and the URL says http`)
}

const OWN_AUTHORITY =
  'send the certificates of all authorities in between (fullchain.pem), or give clients the private authority (NODE_EXTRA_CA_CERTS)'
const CERTIFICATE_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew it; is the renewal automatic, and does the server read the new file?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'give clients a name that the certificate has, or get one for this name',
  DEPTH_ZERO_SELF_SIGNED_CERT: OWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: OWN_AUTHORITY,
}
/** The port does not speak TLS, or another version of it. */
const HANDSHAKE_CODES: readonly string[] = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

const isParseError = (error: unknown) => String((error as NodeJS.ErrnoException).code).startsWith('HPE_')

const describeSilence = ({ timing, status }: HttpTimeout) =>
  status !== undefined
    ? `status ${status} came, but the answer never ended`
    : timing.connect === undefined
      ? 'no connection was made in time; a firewall may drop it'
      : 'the connection was made, but no answer came'

export const PROBE_MS = 2000

/** Whether the port completes a handshake, with any certificate. */
export function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  // Only a handshake: no data is sent that somebody else could read.
  return connects(openSecure({ host, port: Number(port || 80), rejectUnauthorized: false }), 'secureConnect')
}

/** Sends the request without the token. */
async function speaksHttp({ send, url }: CheckContext): Promise<boolean> {
  const plain = new URL(url)
  plain.protocol = 'http:'
  plain.port = url.port || '443'
  const answer = await send(plain, { isAnonymous: true, timeoutMs: PROBE_MS, until: () => true }).catch(() => undefined)
  return answer !== undefined
}

async function findOtherLoopback({ hostname, port }: URL): Promise<string | undefined> {
  if (!isLoopback(hostname) || hostname === 'localhost') return undefined
  const [host, shown] = hostname === '[::1]' ? ['127.0.0.1', '127.0.0.1'] : ['::1', '[::1]']
  return (await connects(open({ host, port: Number(port || 80) }), 'connect')) ? `${shown}:${port || 80}` : undefined
}

function connects(socket: ReturnType<typeof open>, event: 'connect' | 'secureConnect'): Promise<boolean> {
  return new Promise(resolve => {
    const end = (isThere: boolean) => {
      resolve(isThere)
      socket.destroy()
    }
    socket.setTimeout(PROBE_MS, () => end(false))
    socket.once(event, () => end(true)).on('error', () => end(false))
  })
}
