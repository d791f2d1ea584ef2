// The reasons why a client cannot use a server, and what to do first: a public address, a sign-in,
// plain HTTP.
import type { ClientRow, Problem, Server, Snippet, Step } from './client.ts'
import { toShell, toTs } from './quote.ts'
import { wantsToken } from './token.ts'

/** The address that a tunnel would give. */
const TUNNEL_ORIGIN = 'https://name.trycloudflare.com'

export function findProblems(row: ClientRow, server: Server): readonly Problem[] {
  const problems: Problem[] = []
  if (isUnreachable(row, server)) problems.push(describeAddress(row, server))
  else if (row.isSignInOnly === true && wantsToken(server)) problems.push(describeSignIn(row, server))
  if (row.needsPlainHttp === true && !server.plainHttp.isOn) problems.push(describePlainHttp(server))
  return problems
}

/** The server once its problems are solved: steps name its address then. */
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
        snippet: toSettings(server, describeSettings(row, server)),
      },
    ],
  }
}

const isLoopbackName = (host: string): boolean => /^(?:127\.[\d.]+|localhost|\[::1\])$/.test(host)

/** Anybody who knows a public address can reach it. */
function describeSettings({ isSignInOnly }: ClientRow, server: Server): Settings {
  const access: Settings | true = isSignInOnly
    ? server.hasSignIn || { JWT_ISSUER: 'https://login.example' }
    : server.needsToken || { API_KEYS_FILE: './keys.json' }
  return { PUBLIC_URL: toTunnelUrl(server), ...(access !== true && access) }
}

const describeSignIn = ({ title }: ClientRow, server: Server): Problem => ({
  short: 'Needs a sign-in by OAuth',
  title: `${title} cannot sign in.`,
  text: 'Its users sign in by OAuth, and this server names no authorization server.',
  steps: [nameIssuer(server)],
})

const nameIssuer = (server: Server): Step => ({
  title: 'Tell the server where users sign in',
  text: 'The issuer of the tokens, and the authorization server if it is another one.',
  snippet: toSettings(server, {
    JWT_ISSUER: 'https://login.example',
    AUTHORIZATION_SERVERS: 'https://login.example',
  }),
})

function describePlainHttp(server: Server): Problem {
  const snippet = toSettings(server, { PLAIN_HTTP: 'true' })
  return {
    short: `Needs ${snippet.text}`,
    title: 'Plain HTTP is off.',
    text: `This server answers at \`/tools\` once \`${snippet.text}\` is set.`,
    steps: [{ title: 'Turn plain HTTP on', snippet }],
  }
}

type Settings = Readonly<Record<string, string>>

/** In the operator's form: a plugin reads options, not the environment. */
function toSettings({ isPlugin }: Server, settings: Settings): Snippet {
  const write = isPlugin === true ? writeOption : writeVariable
  const text = Object.entries(settings).map(write).join('\n')
  return isPlugin === true
    ? { language: 'ts', file: 'Options of the plugin', text }
    : { language: 'env', file: 'Environment', text }
}

const writeVariable = ([name, value]: readonly [string, string]): string => `${name}=${value}`

const writeOption = ([name, value]: readonly [string, string], _: number, all: readonly unknown[]): string => {
  const option = name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return `${option}: ${value === 'true' ? value : toTs(value)}${all.length > 1 ? ',' : ''}`
}
