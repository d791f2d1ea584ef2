// Takes out of a text what must not leave: secrets of the settings, tokens, credentials in URLs,
// absolute paths.
import { NAMES_IN_TEXTS, SECRET_FORMATS } from './secrets.ts'

/** What stands for a secret. */
export const SECRET = '[secret]'

export interface Mask {
  (text: string): string
  /** Characters of the longest secret that it knows; 0 where it knows none. */
  readonly longest?: number
}

/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 6

type Rule = readonly [RegExp, string]

// Each takes time in proportion to the text, whatever the text: clients choose much of it.
const KEYS: readonly Rule[] = [
  [
    /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:(?!-{4})[\s\S]){0,20000}(?:-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5})?/g,
    SECRET,
  ],
  [/(Private-Lines: ?\d{1,4})(?:(?!Private-MAC)[\s\S]){0,20000}(?:Private-MAC: ?\S+)?/g, `$1 ${SECRET}`],
  // The private members of a JWK (RFC 7518, 6).
  [/(\\?["'](?:d|k|p|q|dp|dq|qi)\\?["']\s?:\s?\\?["'])[\w-]{40,}/g, `$1${SECRET}`],
]

const ADDRESSES: readonly Rule[] = [
  // A password may hold a slash, though it should be encoded; in a URL of HTTP it might be a port
  // and a path.
  [/(:\/\/)(?<!\b(?:https?|wss?):\/\/)[^\s/:@'"[]{0,100}:(?:(?!:\/\/)[^\s'"]){1,500}@/gi, '$1[credentials]@'],
  [/(:\/\/)[^\s/'"]{1,500}@/g, '$1[credentials]@'],
  [/(:\/\/)[^\s/:@'"[]{0,100}:(?!\d{1,5}(?:[/?#]|$))(?:(?!:\/\/)[^\s'"]){1,500}@/g, '$1[credentials]@'],
  [/([?&;](?:sig|signature|x-(?:amz|goog)-signature)=)[^\s"'&#;]{6,}/gi, `$1${SECRET}`],
  [/([?&;](?:code|key|hmac)=)[^\s"'&#;]{16,}/gi, `$1${SECRET}`],
  [
    /((?:hooks\.slack|\.webhook\.office)\.com\/|discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/)[^\s'"<>()]+/gi,
    `$1${SECRET}`,
  ],
]

const HEADERS: readonly Rule[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, '$1 [token]'],
  [/\b(authorization\\?["']?\s?[:=]\s?\\?["']?[a-z][\w-]{1,30}\s)(?=[^\s"']{0,500}[\d=])[^\s"',[]{6,}/gi, '$1[token]'],
  [/\b(cookie\\?["']?\s?:\s?\\?["']?)[^\s=;"']{1,100}=[^"'\r\n]{3,}/gi, `$1${SECRET}`],
  [/(?<![\w-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}/g, '[token]'],
]

const SHAPED: readonly Rule[] = [...KEYS, ...ADDRESSES, ...HEADERS, [SECRET_FORMATS, SECRET]]

const createNamedPattern = (sign: string, value: string) => new RegExp(`(${NAMES_IN_TEXTS}${sign})${value}`, 'gi')

const SECRETS: readonly Rule[] = [
  ...SHAPED,
  // In quotes, to their end.
  [
    createNamedPattern(String.raw`\\?["']?\s?[=:]\s?(\\?["'])`, String.raw`(?:(?!\2)(?:\\.|[^\\\r\n])){3,20000}`),
    `$1${SECRET}`,
  ],
  [createNamedPattern(String.raw`\\?["']?\s*(?:[=:]|%3D)\s*`, String.raw`[^\s"'&,;\\]{3,}`), `$1${SECRET}`],
  [new RegExp(`(?<![\\w-])(--?(?:[a-z]{1,20}[-_]){0,3}${NAMES_IN_TEXTS}\\s)(?!-)[^\\s"']{3,}`, 'gi'), `$1${SECRET}`],
  [/\b(login\s\S{1,200}\spassword\s)\S{3,}/g, `$1${SECRET}`],
]

const PATHS: readonly Rule[] = [
  [/\bfile:\/\/\/[^\s'"<>()]+/gi, '[path]'],
  [/(?<![\w./\\-])\/(?:[^\s/\\'"`<>()[\]{}|:;,*?]+\/)+[^\s/\\'"`<>()[\]{}|:;,*?]*/g, '[path]'],
  [/(?<![\w./\\-])\/(?:etc|home|root|tmp|usr|var|opt|proc|sys|dev|srv|mnt|app)\b[\w.@+~-]*/g, '[path]'],
  [/(?<![\w/])(?:[A-Za-z]:|\\\\[\w.$-]+)\\[^\s'"<>|:*?]+/g, '[path]'],
]

/** @param secrets values that must never be shown: as they stand, or on one line */
export const createMask = (secrets: readonly string[]): Mask => buildMask(secrets, [...SECRETS, ...PATHS])

/** The same, but for paths: for who may know them, and has to. */
export const createSecretMask = (secrets: readonly string[]): Mask => buildMask(secrets, SECRETS)

/**
 * For the errors of a tool file that does not load: shows also what only stands behind a word such
 * as "token", since there messages say what is wrong with the setting of that name.
 */
export const createLoadMask = (secrets: readonly string[]): Mask => buildMask(secrets, SHAPED)

function buildMask(secrets: readonly string[], rules: readonly Rule[]): Mask {
  const forms = new Set(secrets.flatMap(secret => [secret, secret.replace(/\s+/g, ' ').trim()]))
  const longestFirst = [...forms]
    .filter(secret => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
  const mask = (text: string) => {
    let masked = text
    for (const secret of longestFirst) masked = masked.replaceAll(secret, SECRET)
    for (const [pattern, replacement] of rules) masked = masked.replace(pattern, replacement)
    return masked
  }
  return Object.assign(mask, { longest: longestFirst[0]?.length ?? 0 })
}
