// What keeps a client from a server, and what to do first: a public address, a sign-in, plain HTTP.
import type { ClientRow, Problem, Server, Step } from './client.ts'
import { toShell } from './quote.ts'
import { wantsToken } from './token.ts'

/** The address that a tunnel gives. */
const TUNNEL_ORIGIN = 'https://name.trycloudflare.com'

export function findProblems(row: ClientRow, server: Server): readonly Problem[] {
  const problems: Problem[] = []
  if (isUnreachable(row, server)) problems.push(describeAddress(row, server))
  else if (row.isSignInOnly === true && wantsToken(server)) problems.push(describeSignIn(row))
  if (row.needsPlainHttp === true && !server.plainHttp.isOn) problems.push(PLAIN_HTTP_OFF)
  return problems
}

/** The server as it is once its problems are solved: steps name the address that it has then. */
export function toReachable(row: ClientRow, server: Server): Server {
  if (!isUnreachable(row, server)) return server
  return {
    ...server,
    url: toTunnelUrl(server),
    needsToken: true,
    hasSignIn: row.isSignInOnly === true || server.hasSignIn,
  }
}

const isUnreachable = ({ vendor }: ClientRow, { isLocal, isHttps }: Server) =>
  vendor !== undefined && (isLocal || !isHttps)

const toTunnelUrl = ({ url }: Server): string => `${TUNNEL_ORIGIN}${new URL(url).pathname}`

function describeAddress(row: ClientRow, server: Server): Problem {
  const { hostname, origin } = new URL(server.url)
  const who = isLoopbackName(hostname) ? 'this machine' : 'this network'
  const reason = server.isLocal ? `only ${who} can open \`${hostname}\`` : 'this one has no HTTPS'
  return {
    short: 'Needs a public HTTPS URL',
    title: `${row.title} cannot reach this address.`,
    text: `It connects from ${row.vendor}’s machines, and ${reason}.`,
    steps: [
      {
        title: 'Give the server a public HTTPS address',
        text: 'By a proxy with a certificate, or by a tunnel.',
        snippet: { language: 'sh', text: `cloudflared tunnel --url ${toShell(origin)}` },
      },
      {
        title: 'Tell the server its address, and let only yours in',
        snippet: { language: 'env', file: 'Environment', text: describeEnvironment(row, server) },
      },
    ],
  }
}

const isLoopbackName = (host: string): boolean => /^(?:127\.[\d.]+|localhost|\[::1\])$/.test(host)

/** Whoever knows a public address reaches it. */
function describeEnvironment({ isSignInOnly }: ClientRow, server: Server): string {
  const access = isSignInOnly
    ? server.hasSignIn || 'JWT_ISSUER=https://login.example'
    : server.needsToken || 'API_KEYS_FILE=./keys.json'
  return [`PUBLIC_URL=${toTunnelUrl(server)}`, ...(access === true ? [] : [access])].join('\n')
}

const describeSignIn = ({ title }: ClientRow): Problem => ({
  short: 'Needs a sign-in by OAuth',
  title: `${title} cannot sign in.`,
  text: 'Its users sign in by OAuth, and this server names no authorization server.',
  steps: [NAME_ISSUER],
})

const NAME_ISSUER: Step = {
  title: 'Tell the server where users sign in',
  text: 'The issuer of the tokens, and the authorization server if it is another one.',
  snippet: {
    language: 'env',
    file: 'Environment',
    text: 'JWT_ISSUER=https://login.example\nAUTHORIZATION_SERVERS=https://login.example',
  },
}

const PLAIN_HTTP_OFF: Problem = {
  short: 'Needs PLAIN_HTTP=true',
  title: 'Plain HTTP is off.',
  text: 'This server answers at `/tools` once `PLAIN_HTTP=true` is set.',
  steps: [{ title: 'Turn plain HTTP on', snippet: { language: 'env', file: 'Environment', text: 'PLAIN_HTTP=true' } }],
}
