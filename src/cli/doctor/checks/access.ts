// Access, as a client finds it out: 401 → protected resource metadata → authorization server →
// token.
// Spec 2026-07-28: basic/authorization; RFC 9728, RFC 8414. The token is decoded here only.
import { type ParsedToken, parseToken } from '../../../auth/token.ts'
import { assertAccessToken } from '../../../auth/token-kind.ts'
import type { JsonObject } from '../../../protocol/messages.ts'
import { toVisibleLine } from '../../client/visible.ts'
import { type Check, type Patient, StopDiagnosis } from '../finding.ts'
import type { HttpAnswer } from '../http.ts'
import { initialize, LEGACY, parseJson, sendModern } from '../mcp.ts'
import { adviseRefusedKey, checkKeyForm, findKey } from './api-key.ts'

const MAX_SERVERS = 3
/** Of `Date`. */
const MAX_DATE_MS = 8.64e15
const METADATA = '/.well-known/oauth-protected-resource'

/** Statuses that say nothing of access or revisions, and what to do. */
const REFUSALS: readonly (readonly [status: number, fix: string])[] = [
  [403, 'the server or what stands before it refuses this host, address or caller: look at its rules and its log'],
  [429, 'wait until it takes requests again, then run this again'],
  [500, 'look at the log of the server for this time'],
  [502, 'start the server: what stands before it does not reach it'],
  [503, 'wait until the server is less busy or has started, then run this again'],
  [504, 'look at the server: what stands before it gets no answer'],
]

export const checkAccess: Check = async patient => {
  const anonymous = await ask(patient, true)
  const refusal = REFUSALS.find(([status]) => status === anonymous.status)
  if (refusal !== undefined) {
    patient.problem(`refuses the request (${anonymous.status})`, refusal[1])
    throw new StopDiagnosis()
  }
  if (anonymous.status !== 401) {
    if (patient.token !== undefined) patient.warn('answers without the token too', 'is access control on?')
    else patient.ok('answers without a token')
    return
  }
  patient.ok('asks for a token (401)')
  const key = findKey(patient)
  // Keys are given by hand: without an issuer there is nobody to be sent to.
  const isByHand = key !== undefined && !/\bresource_metadata=/i.test(anonymous.headers['www-authenticate'] ?? '')
  const resource = isByHand ? undefined : await checkResource(patient, anonymous)
  const issuers = resource === undefined ? [] : await checkIssuers(patient, resource)
  if (patient.token === undefined) {
    // Of --header: a key, or a token of another kind.
    const { status } = await ask(patient, false)
    if (status !== 401 && status !== 403) return patient.ok('the headers of --header are accepted')
    patient.warn('what needs a token was not checked', 'set TOOLRACK_TOKEN, and run this again')
    throw new StopDiagnosis()
  }
  if (key === undefined) checkToken(patient, patient.token, issuers)
  else checkKeyForm(patient, key)
  const what = key === undefined ? 'token' : 'API key'
  const { status, headers } = await ask(patient, false)
  if (status !== 401 && status !== 403) return patient.ok(`the ${what} is accepted`)
  const reason = readParameter(headers['www-authenticate'] ?? '', 'error_description')
  patient.problem(
    `the ${what} is refused (${status})${reason === undefined ? '' : `: ${toVisibleLine(reason)}`}`,
    key === undefined
      ? 'get a new one from the issuer above, for the resource above'
      : adviseRefusedKey(key, patient.url),
  )
  throw new StopDiagnosis()
}

/** The answer of the era that asks for a token, if one does. */
async function ask({ send, url }: Patient, isAnonymous: boolean): Promise<HttpAnswer> {
  const modern = await sendModern(send, url, 'server/discover', {}, { isAnonymous })
  return modern.result === undefined && modern.status !== 401
    ? initialize(send, url, LEGACY[0], { isAnonymous })
    : modern
}

const readParameter = (challenge: string, name: string): string | undefined => {
  const [, quoted, plain] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? plain
}

/** @returns the metadata of the resource */
async function checkResource(patient: Patient, { headers }: HttpAnswer): Promise<JsonObject | undefined> {
  const challenge = headers['www-authenticate'] ?? ''
  const named = URL.parse(readParameter(challenge, 'resource_metadata') ?? '')
  if (!/^\s*Bearer\b/i.test(challenge))
    patient.problem('401 without WWW-Authenticate: Bearer', 'send WWW-Authenticate: Bearer resource_metadata="…"')
  else if (named === null)
    patient.warn('WWW-Authenticate names no resource_metadata; clients guess its URL', 'add resource_metadata="…"')
  const { origin, pathname } = patient.url
  const guesses = [`${METADATA}${pathname === '/' ? '' : pathname}`, METADATA].map(path => new URL(path, origin))
  const found = await findJson(patient, named === null ? guesses : [named])
  if (found === undefined) {
    const where = (named === null ? guesses : [named]).map(String).join(' and ')
    patient.problem(`no metadata of the resource at ${where}`, 'serve it there as JSON, without a token (RFC 9728)')
    return undefined
  }
  compareResource(patient, found.json['resource'])
  return found.json
}

function compareResource(patient: Patient, resource: unknown): void {
  const ours = patient.url.href
  const theirs = typeof resource === 'string' ? URL.parse(resource) : null
  const isAbove =
    theirs !== null && theirs.origin === patient.url.origin && patient.url.pathname.startsWith(theirs.pathname)
  const seen = `its metadata is for ${toVisibleLine(String(resource))}, and clients use ${ours}`
  const fix = `set resource to ${ours} (Toolrack: PUBLIC_URL), or give clients the other URL`
  if (theirs?.href === ours) patient.ok(`its metadata is for this URL: ${ours}`)
  else if (isAbove) patient.warn(`${seen}: strict clients refuse it`, fix)
  else patient.problem(`${seen}: clients refuse it`, fix)
}

/** @returns the issuers whose metadata is there */
async function checkIssuers(
  patient: Patient,
  { authorization_servers: servers }: JsonObject,
): Promise<readonly string[]> {
  const issuers = Array.isArray(servers) ? servers.filter(each => typeof each === 'string') : []
  if (issuers.length === 0)
    patient.problem('its metadata names no authorization_servers', 'name the issuer (Toolrack: AUTHORIZATION_SERVERS)')
  for (const issuer of issuers.slice(0, MAX_SERVERS)) await checkIssuer(patient, issuer)
  return issuers
}

async function checkIssuer(patient: Patient, issuer: string): Promise<void> {
  const shown = toVisibleLine(issuer)
  const url = URL.parse(issuer)
  if (url === null || !/^https?:$/.test(url.protocol))
    return patient.problem(`the issuer ${shown} is no URL`, 'name it by its https URL')
  const path = url.pathname.replace(/\/$/, '')
  const places = ['oauth-authorization-server', 'openid-configuration'].map(name => `/.well-known/${name}${path}`)
  if (path !== '') places.push(`${path}/.well-known/openid-configuration`)
  const found = await findJson(
    patient,
    places.map(place => new URL(place, url)),
  )
  if (found === undefined)
    return patient.problem(
      `no metadata of the authorization server ${shown} at ${places.join(', ')}`,
      'check the issuer; a server without these addresses cannot be used by MCP clients (RFC 8414)',
    )
  const { json } = found
  if (json['issuer'] !== issuer)
    return patient.problem(
      `the metadata at ${found.url.href} says issuer ${toVisibleLine(String(json['issuer']))}, not ${shown}: clients refuse it`,
      'write the issuer in both places exactly alike; a slash at the end counts',
    )
  checkFlows(patient, shown, json)
}

function checkFlows(patient: Patient, issuer: string, json: JsonObject): void {
  const missing = ['authorization_endpoint', 'token_endpoint'].filter(name => typeof json[name] !== 'string')
  const methods = json['code_challenge_methods_supported']
  const hasPkce = Array.isArray(methods) && methods.includes('S256')
  const hasDocuments = json['client_id_metadata_document_supported'] === true
  const hasRegistration = typeof json['registration_endpoint'] === 'string'
  const ways = [...(hasDocuments ? ['client metadata documents'] : []), ...(hasRegistration ? ['registration'] : [])]
  if (missing.length > 0)
    patient.problem(`${issuer} has no ${missing.join(' and no ')}`, 'MCP clients need the authorization code flow')
  if (!hasPkce) patient.problem(`${issuer} does not announce PKCE with S256: clients refuse it`, 'turn S256 on')
  if (ways.length === 0)
    patient.warn(
      `${issuer} lets clients neither register nor use metadata documents`,
      'register each client by hand and give it its client_id, or turn one of both on',
    )
  else if (hasPkce && missing.length === 0) patient.ok(`${issuer}: metadata, PKCE, ${ways.join(' and ')}`)
}

async function findJson(patient: Patient, urls: readonly URL[]): Promise<{ url: URL; json: JsonObject } | undefined> {
  for (const url of urls) {
    const headers = { accept: 'application/json' }
    const reply = await patient.send(url, { headers, isAnonymous: true, maxBytes: 1_000_000 }).catch(() => undefined)
    const [json] = reply?.status === 200 ? parseJson(reply.body) : []
    if (json !== undefined) return { url, json }
  }
  return undefined
}

/** @returns undefined for an opaque token */
function readToken(token: string): ParsedToken | undefined {
  try {
    return parseToken(token)
  } catch {
    return undefined
  }
}

/** Claims only; the signature is the server's affair. */
function checkToken(patient: Patient, token: string, issuers: readonly string[]): void {
  const parsed = readToken(token)
  if (parsed === undefined) {
    patient.ok('the token is opaque: what it is for cannot be read')
    return
  }
  checkKind(patient, parsed)
  checkClaims(patient, parsed.payload, issuers)
}

// A client that signs in by OpenID Connect has both kinds, and an ID token is easily sent instead.
// Services that share a secret issue no ID tokens with it.
function checkKind(patient: Patient, token: ParsedToken): void {
  try {
    assertAccessToken(token, { hasIdTokens: !token.header.alg.startsWith('HS') })
  } catch (error) {
    patient.warn(`the token looks like none for access: ${(error as Error).message}`, 'send the access token')
  }
}

function checkClaims(patient: Patient, { aud, exp, iss }: JsonObject, issuers: readonly string[]): void {
  const audiences = [aud].flat().filter(each => typeof each === 'string')
  const expires = Number(exp) * 1000
  const names = audiences.length === 0 ? 'nobody (no aud)' : toVisibleLine(audiences.join(', '))
  if (!audiences.includes(patient.url.href))
    patient.warn(
      `the token is for ${names}, not for ${patient.url.href}`,
      'ask for it with resource=<this URL> (RFC 8707), unless the server expects another audience',
    )
  if (Math.abs(expires) < MAX_DATE_MS && expires <= Date.now())
    patient.problem(`the token has expired at ${new Date(expires).toISOString()}`, 'get a new one')
  if (issuers.length > 0 && !issuers.includes(String(iss)))
    patient.warn(`the token is of ${toVisibleLine(String(iss))}, which the metadata does not name`, 'use its issuer')
}
