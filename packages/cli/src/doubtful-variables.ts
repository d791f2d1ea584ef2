// Finds variables that are probably mistakes. They may be correct, since other programs have such
// names, and tools such values. So the log warns, and the start continues.
import { findStrayMarks, isServiceLink } from 'toolrack/environment'
import { fromFileName, isSecret, SETTINGS, type SettingName } from 'toolrack/settings'

/** Names that other servers use for settings. A tool can declare a variable with such a name. */
export const NAMES_ELSEWHERE: Readonly<Record<string, SettingName>> = {
  REDIS_URI: 'REDIS_URL',
  REDIS_DSN: 'REDIS_URL',
  REDIS_HOST: 'REDIS_URL',
  REDIS_ADDR: 'REDIS_URL',
  REDIS_CONNECTION_STRING: 'REDIS_URL',
  TRUSTED_PROXIES: 'TRUST_PROXY',
  PUBLIC_URI: 'PUBLIC_URL',
  BASE_URL: 'PUBLIC_URL',
  SERVER_URL: 'PUBLIC_URL',
  EXTERNAL_URL: 'PUBLIC_URL',
  ISSUER: 'JWT_ISSUER',
  ISSUER_URL: 'JWT_ISSUER',
  OIDC_ISSUER: 'JWT_ISSUER',
  OIDC_ISSUER_URL: 'JWT_ISSUER',
  OAUTH_ISSUER: 'JWT_ISSUER',
  AUDIENCE: 'JWT_AUDIENCE',
  OIDC_AUDIENCE: 'JWT_AUDIENCE',
  OAUTH_AUDIENCE: 'JWT_AUDIENCE',
  JWT_SECRET_KEY: 'JWT_SECRET',
  API_KEYS: 'API_KEYS_FILE',
  CORS_ORIGIN: 'ALLOWED_ORIGINS',
  CORS_ORIGINS: 'ALLOWED_ORIGINS',
  CORS_ALLOW_ORIGINS: 'ALLOWED_ORIGINS',
  CORS_ALLOWED_ORIGINS: 'ALLOWED_ORIGINS',
  RATE_LIMIT: 'RATE_LIMIT_MAX',
  SESSION_TTL: 'SESSION_TTL_MS',
  MAX_BODY_SIZE: 'MAX_BODY_BYTES',
}

/** Variables of Node, of its HTTP clients, and of OpenTelemetry. */
const OF_NODE = /^(?:OTEL_|NODE_|SSL_CERT_)|^(?:HTTPS?|ALL|NO)_PROXY$/i

export interface Doubt {
  readonly variable: string
  readonly hint: string
}

/** @param declared the variables that tools declare */
export const findDoubts = (
  declared: ReadonlySet<string>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly Doubt[] =>
  Object.entries(environment).flatMap(([variable, value = '']) => {
    const stray = declared.has(variable) || OF_NODE.test(variable) ? findStrayMarks(value) : undefined
    if (stray !== undefined) return { variable, hint: `expected the value without ${stray}` }
    const unread = value === '' ? undefined : findUnreadFile(variable)
    if (unread !== undefined) return { variable, hint: `only secrets are read from files; set ${unread} itself` }
    const meant = Object.hasOwn(NAMES_ELSEWHERE, variable) ? NAMES_ELSEWHERE[variable]! : undefined
    const isOwn = declared.has(variable) || value === '' || isServiceLink(variable, value)
    if (meant === undefined || isOwn || environment[meant]) return []
    return { variable, hint: `no setting; did you mean ${meant}? If a tool reads it, name it in its settings` }
  })

/** @returns `JWT_ISSUER` for `JWT_ISSUER_FILE`, which nothing reads */
function findUnreadFile(variable: string): string | undefined {
  const name = fromFileName(variable) ?? ''
  if (!Object.hasOwn(SETTINGS, name) || Object.hasOwn(SETTINGS, variable)) return undefined
  return isSecret(name as SettingName) ? undefined : name
}
