// Decides which clients are accepted, and which of their metadata count. The same rules apply to
// clients that register themselves (RFC 7591), and to clients whose id is the URL of their metadata.
// Other metadata are never fetched, shown or stored.
import { isLoopback } from 'toolrack/settings'

export interface ClientRules {
  /** Hosts of https redirects; undefined allows any. */
  readonly REDIRECT_HOSTS: readonly string[] | undefined
  readonly REDIRECT_SCHEMES: readonly string[]
}

type Metadata = Record<string, unknown>

export const MAX_REDIRECT_URIS = 10
const MAX_URI_LENGTH = 1000
const MAX_NAME_LENGTH = 100
const MAX_KEYS = 5

const KEPT: ReadonlySet<string> = new Set([
  'application_type',
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_secret',
  'client_secret_expires_at',
  'grant_types',
  'id_token_signed_response_alg',
  'redirect_uris',
  'response_types',
  'subject_type',
  'token_endpoint_auth_method',
])
const GRANT_TYPES: readonly unknown[] = ['authorization_code', 'refresh_token']
const SECRET_METHODS: readonly unknown[] = ['none', 'client_secret_basic', 'client_secret_post']
const URL_METHODS: readonly unknown[] = ['none', 'private_key_jwt']

/** @returns whether this client id is the URL of a metadata document */
export const isMetadataUrl = (clientId: unknown): clientId is string =>
  typeof clientId === 'string' && /^https:\/\//i.test(clientId)

/**
 * Keeps the metadata that count, and sets the others.
 *
 * @throws Error naming the expected value
 */
export function applyClientRules(metadata: Metadata, rules: ClientRules): void {
  const isUrl = isMetadataUrl(metadata['client_id'])
  const jwks = isUrl ? readKeys(metadata) : {}
  for (const name of Object.keys(metadata)) if (!KEPT.has(name)) delete metadata[name]
  const uris = readRedirectUris(metadata['redirect_uris'], rules)
  const method = metadata['token_endpoint_auth_method']
  if (!(isUrl ? URL_METHODS : SECRET_METHODS).includes(method))
    throw new Error(`token_endpoint_auth_method must be one of ${(isUrl ? URL_METHODS : SECRET_METHODS).join(', ')}`)
  const asked = metadata['grant_types']
  const grants = Array.isArray(asked) ? GRANT_TYPES.filter(grant => asked.includes(grant)) : []
  if (!grants.includes('authorization_code')) throw new Error('grant_types must have authorization_code')
  Object.assign(metadata, {
    ...(method === 'private_key_jwt' && jwks),
    client_name: readName(metadata['client_name'], uris[0]!),
    // RFC 8252, 7.3: only for these any port of loopback counts.
    application_type: uris.every(uri => uri.startsWith('https:')) ? 'web' : 'native',
    grant_types: grants,
    response_types: ['code'],
    subject_type: 'public',
  })
}

function readRedirectUris(value: unknown, rules: ClientRules): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS)
    throw new Error(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URLs`)
  for (const uri of value) {
    const reason = findFault(uri, rules)
    if (reason !== undefined) throw new Error(`redirect_uris must only have URLs that ${reason}`)
  }
  return value
}

function findFault(uri: unknown, { REDIRECT_HOSTS, REDIRECT_SCHEMES }: ClientRules): string | undefined {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH) return `are texts of at most ${MAX_URI_LENGTH} characters`
  // Parsers differ on white space, backslashes, wildcards and a user before the host.
  if (/[^\x21-\x7e]|[\\*#<>"]/.test(uri)) return 'have no fragments, wildcards, backslashes or white space'
  const url = URL.parse(uri)
  if (url === null) return 'are whole URLs'
  if (url.username !== '' || url.password !== '') return 'have no user name and no password'
  const scheme = url.protocol.slice(0, -1)
  if (scheme !== 'http' && scheme !== 'https')
    return REDIRECT_SCHEMES.includes(scheme)
      ? undefined
      : 'are https, http on loopback, or of a scheme that the operator lists'
  const start = `${scheme}://${url.host}`
  if (!uri.startsWith(start) || !/^(?:[/?:]|$)/.test(uri.slice(start.length))) return 'name their host in the usual way'
  if (scheme === 'http') return isLoopback(url.hostname) ? undefined : 'are https, or http on loopback'
  return REDIRECT_HOSTS === undefined || REDIRECT_HOSTS.includes(url.hostname)
    ? undefined
    : 'lead to hosts that the operator lists'
}

/** A stranger chooses its name. Keeps one line of visible characters. */
function readName(value: unknown, uri: string): string {
  const text = typeof value === 'string' ? value : ''
  // The time to normalise combining marks grows with the square of their number.
  const line = text
    .slice(0, 10 * MAX_NAME_LENGTH)
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line === '' ? describeTarget(uri) : [...line].slice(0, MAX_NAME_LENGTH).join('')
}

/** Keys of a client that signs. A set of keys must be on the host of the metadata. */
function readKeys({ client_id, jwks, jwks_uri }: Metadata): Metadata {
  if (jwks_uri !== undefined) {
    const url = typeof jwks_uri === 'string' ? URL.parse(jwks_uri) : null
    if (url?.origin !== new URL(client_id as string).origin)
      throw new Error('jwks_uri must be on the host of client_id')
    return { jwks_uri }
  }
  const keys = (jwks as { readonly keys?: unknown } | undefined)?.keys
  if (jwks !== undefined && (!Array.isArray(keys) || keys.length > MAX_KEYS))
    throw new Error(`jwks must be a set of at most ${MAX_KEYS} keys`)
  return jwks === undefined ? {} : { jwks }
}

/** The target of an answer, in words for people. */
export function describeTarget(uri: string): string {
  const url = URL.parse(uri)
  if (url === null) return 'nowhere'
  if (url.protocol === 'https:') return url.host
  return url.protocol === 'http:' ? 'a program on this computer' : `the app for ${url.protocol} on this device`
}

export const isOnThisDevice = (uri: string): boolean => !uri.startsWith('https:')
