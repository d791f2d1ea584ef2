// Checks the way from 401 to a token: protected resource metadata → authorization server → its flows.
// RFC 9728, RFC 8414.
import type { JsonObject } from 'toolrack'
import { toVisibleLine } from 'toolrack/text'
import type { CheckContext, Fault } from '../check-context.ts'
import type { HttpAnswer } from '../http.ts'
import { parseJson } from '../messages.ts'

const MAX_SERVERS = 3
const METADATA = '/.well-known/oauth-protected-resource'
const NO_SIGN_IN = 'Clients cannot sign in: they do not find who gives tokens.'

const FAULTS = {
  challenge: {
    id: 'no-challenge',
    severity: 'problem',
    effect: 'Clients do not begin to sign in.',
    fix: 'send WWW-Authenticate: Bearer resource_metadata="…"',
  },
  unnamedMetadata: {
    id: 'metadata-not-named',
    severity: 'warning',
    effect: 'Clients guess its URL.',
    fix: 'add resource_metadata="…"',
  },
  metadataElsewhere: {
    id: 'metadata-elsewhere',
    severity: 'problem',
    effect: NO_SIGN_IN,
    fix: 'build it from the public URL (Toolrack: PUBLIC_URL), or let the server trust X-Forwarded-Proto and -Host',
  },
  noMetadata: {
    id: 'no-metadata',
    severity: 'problem',
    effect: NO_SIGN_IN,
    fix: 'serve it there as JSON, without a token (RFC 9728)',
  },
  otherResource: {
    id: 'other-resource',
    severity: 'problem',
    effect: 'Clients refuse metadata of another resource, and do not sign in.',
    fix: '',
  },
  widerResource: {
    id: 'wider-resource',
    severity: 'warning',
    effect: 'Strict clients refuse it.',
    fix: '',
  },
  noIssuer: {
    id: 'no-issuer',
    severity: 'problem',
    effect: NO_SIGN_IN,
    fix: 'name the issuer (Toolrack: AUTHORIZATION_SERVERS)',
  },
  issuerUrl: { id: 'issuer-url', severity: 'problem', effect: NO_SIGN_IN, fix: 'name it by its https URL' },
  noIssuerMetadata: {
    id: 'no-issuer-metadata',
    severity: 'problem',
    effect: 'Clients cannot sign in.',
    fix: 'check the issuer; a server without these addresses cannot be used by MCP clients (RFC 8414)',
  },
  otherIssuer: {
    id: 'other-issuer',
    severity: 'problem',
    effect: 'Clients refuse it: it could be forged.',
    fix: 'write the issuer in both places exactly alike; a slash at the end counts',
  },
  noFlow: {
    id: 'no-code-flow',
    severity: 'problem',
    effect: 'Clients cannot sign in.',
    fix: 'MCP clients need the authorization code flow',
  },
  noPkce: {
    id: 'no-pkce',
    severity: 'problem',
    effect: 'Clients refuse an issuer without it.',
    fix: 'turn S256 on (code_challenge_methods_supported)',
  },
  noRegistration: {
    id: 'no-registration',
    severity: 'warning',
    effect: 'Most clients have no place for a client_id, and cannot sign in.',
    fix: 'register each client by hand and give it its client_id, or turn one of both on',
  },
} as const satisfies Record<string, Fault>

export const readParameter = (challenge: string, name: string): string | undefined => {
  const [, quoted, plain] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? plain
}

/**
 * @returns the issuers that the metadata of the resource names; undefined if the server names no
 *   metadata
 */
export async function checkResource(
  context: CheckContext,
  { headers }: HttpAnswer,
): Promise<readonly string[] | undefined> {
  const challenge = headers['www-authenticate'] ?? ''
  const named = URL.parse(readParameter(challenge, 'resource_metadata') ?? '')
  const { origin, pathname } = context.url
  const guesses = [`${METADATA}${pathname === '/' ? '' : pathname}`, METADATA].map(path => new URL(path, origin))
  const { found, missed } = await findJson(context, named === null ? guesses : [named])
  if (found === undefined && named === null) return undefined
  if (!/^\s*Bearer\b/i.test(challenge)) context.report(FAULTS.challenge, '401 without WWW-Authenticate: Bearer')
  else if (named === null) context.report(FAULTS.unnamedMetadata, 'WWW-Authenticate names no resource_metadata')
  if (found !== undefined) {
    compareResource(context, found.json['resource'])
    return checkIssuers(context, found.json)
  }
  if (named!.origin === origin)
    context.report(FAULTS.noMetadata, `no metadata of the resource at ${named!.href} (${missed})`)
  else
    context.report(
      FAULTS.metadataElsewhere,
      `WWW-Authenticate names ${named!.href}, which is not at ${origin} (${missed})`,
    )
  return []
}

function compareResource(context: CheckContext, resource: unknown): void {
  const ours = context.url.href
  const theirs = typeof resource === 'string' ? URL.parse(resource) : null
  const isAbove =
    theirs !== null && theirs.origin === context.url.origin && context.url.pathname.startsWith(theirs.pathname)
  const fix = `set resource to ${ours} (Toolrack: PUBLIC_URL), or give clients the other URL`
  if (theirs?.href === ours) context.ok(`its metadata is for this URL: ${ours}`)
  else
    context.report(
      { ...(isAbove ? FAULTS.widerResource : FAULTS.otherResource), fix },
      `its metadata is for ${toVisibleLine(String(resource))}, and clients use ${ours}`,
    )
}

async function checkIssuers(
  context: CheckContext,
  { authorization_servers: servers }: JsonObject,
): Promise<readonly string[]> {
  const issuers = Array.isArray(servers) ? servers.filter(each => typeof each === 'string') : []
  if (issuers.length === 0) context.report(FAULTS.noIssuer, 'its metadata names no authorization_servers')
  for (const issuer of issuers.slice(0, MAX_SERVERS)) await checkIssuer(context, issuer)
  return issuers
}

async function checkIssuer(context: CheckContext, issuer: string): Promise<void> {
  const shown = toVisibleLine(issuer)
  const url = URL.parse(issuer)
  if (url === null || !/^https?:$/.test(url.protocol))
    return context.report(FAULTS.issuerUrl, `the issuer ${shown} is not a valid URL`)
  const path = url.pathname.replace(/\/$/, '')
  const places = ['oauth-authorization-server', 'openid-configuration'].map(name => `/.well-known/${name}${path}`)
  if (path !== '') places.push(`${path}/.well-known/openid-configuration`)
  const { found, missed } = await findJson(
    context,
    places.map(place => new URL(place, url)),
  )
  if (found === undefined)
    return context.report(
      FAULTS.noIssuerMetadata,
      `no metadata of the authorization server ${shown} at ${places.join(', ')} (${missed})`,
    )
  const { json } = found
  if (json['issuer'] !== issuer)
    return context.report(
      FAULTS.otherIssuer,
      `the metadata at ${found.url.href} says issuer ${toVisibleLine(String(json['issuer']))}, not ${shown}`,
    )
  checkFlows(context, shown, json)
}

function checkFlows(context: CheckContext, issuer: string, json: JsonObject): void {
  const missing = ['authorization_endpoint', 'token_endpoint'].filter(name => typeof json[name] !== 'string')
  const methods = json['code_challenge_methods_supported']
  const hasPkce = Array.isArray(methods) && methods.includes('S256')
  const hasDocuments = json['client_id_metadata_document_supported'] === true
  const hasRegistration = typeof json['registration_endpoint'] === 'string'
  const ways = [...(hasDocuments ? ['client metadata documents'] : []), ...(hasRegistration ? ['registration'] : [])]
  if (missing.length > 0) context.report(FAULTS.noFlow, `${issuer} has no ${missing.join(' and no ')}`)
  if (!hasPkce) context.report(FAULTS.noPkce, `${issuer} does not announce PKCE with S256`)
  if (ways.length === 0)
    context.report(FAULTS.noRegistration, `${issuer} lets clients neither register nor use metadata documents`)
  else if (hasPkce && missing.length === 0) context.ok(`${issuer}: metadata, PKCE, ${ways.join(' and ')}`)
}

interface Search {
  readonly found?: { readonly url: URL; readonly json: JsonObject }
  /** The answer that came instead, from the last URL. */
  readonly missed?: string
}

async function findJson(context: CheckContext, urls: readonly URL[]): Promise<Search> {
  let missed = 'no answer'
  for (const url of urls) {
    const headers = { accept: 'application/json' }
    const reply = await context.send(url, { headers, isAnonymous: true, maxBytes: 1_000_000 }).catch(() => undefined)
    const [json] = reply?.status === 200 ? parseJson(reply.body) : []
    if (json !== undefined) return { found: { url, json } }
    if (reply !== undefined) missed = `${reply.status} ${toVisibleLine(reply.headers['content-type'] ?? '')}`.trimEnd()
  }
  return { missed }
}
