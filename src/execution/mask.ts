// Hides secrets in texts of errors and logs: configured ones, tokens, credentials in URLs, and paths.
// `sanitise.ts` cleans results.
import { NAMES_IN_TEXTS } from '../text/secret-names.ts'
import { CREDENTIAL_RULES } from '../text/url-credentials.ts'
import type { LiveSecrets } from './live-secrets.ts'
import { SECRET_FORMATS } from './secret-formats.ts'

/** Matches a secret that does not start inside a longer word. */
const FORMATTED = new RegExp(
  `(?<![A-Za-z0-9])(?:${SECRET_FORMATS.flatMap(([, ...formats]) => formats).join('|')})`,
  'g',
)

/** Replaces a secret. */
export const SECRET = '[secret]'

export interface Mask {
  (text: string): string
  /** Length of the longest known secret, characters; 0 if there is none. */
  readonly longest?: number
}

/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 6

type Rule = readonly [RegExp, string]

// Every rule takes linear time, since clients choose much of the text.
const KEYS: readonly Rule[] = [
  [
    /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:(?!-{4})[\s\S]){0,20000}(?:-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5})?/g,
    SECRET,
  ],
  [/(Private-Lines: ?\d{1,4})(?:(?!Private-MAC)[\s\S]){0,20000}(?:Private-MAC: ?\S+)?/g, `$1 ${SECRET}`],
  // Private members of a JWK (RFC 7518, 6).
  [/(\\?["'](?:d|k|p|q|dp|dq|qi)\\?["']\s?:\s?\\?["'])[\w-]{40,}/g, `$1${SECRET}`],
]

const ADDRESSES: readonly Rule[] = [
  ...CREDENTIAL_RULES,
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

const SHAPED: readonly Rule[] = [...KEYS, ...ADDRESSES, ...HEADERS, [FORMATTED, SECRET]]

const createNamedPattern = (sign: string, value: string) => new RegExp(`(${NAMES_IN_TEXTS}${sign})${value}`, 'gi')

const SECRETS: readonly Rule[] = [
  ...SHAPED,
  // Quoted values, up to the closing quote.
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

/**
 * @param secrets values that must never be shown, also when their whitespace is collapsed
 * @param live secrets that come and go
 */
export const createMask = (secrets: readonly string[], live?: LiveSecrets): Mask =>
  buildMask(secrets, [...SECRETS, ...PATHS], live)

/** Like `createMask`, but keeps paths, for readers who need them. */
export const createSecretMask = (secrets: readonly string[], live?: LiveSecrets): Mask =>
  buildMask(secrets, SECRETS, live)

/** For load errors, which may name a setting: keeps values after a word such as "token". */
export const createLoadMask = (secrets: readonly string[], live?: LiveSecrets): Mask => buildMask(secrets, SHAPED, live)

function buildMask(secrets: readonly string[], rules: readonly Rule[], live?: LiveSecrets): Mask {
  const find = createForms(secrets, live)
  const mask = (text: string) => {
    let masked = live === undefined ? text : live.replaceIn(text, SECRET)
    for (const secret of find()) masked = masked.replaceAll(secret, SECRET)
    for (const [pattern, replacement] of rules) masked = masked.replace(pattern, replacement)
    return masked
  }
  return Object.defineProperty(mask, 'longest', { get: () => Math.max(find()[0]?.length ?? 0, live?.longest ?? 0) })
}

/** How secrets may be written in texts, the longest form first. */
function createForms(secrets: readonly string[], live?: LiveSecrets): () => readonly string[] {
  let kept = live?.kept
  let forms = toForms([...secrets, ...(kept ?? [])])
  return () => {
    if (kept !== live?.kept) {
      kept = live?.kept
      forms = toForms([...secrets, ...(kept ?? [])])
    }
    return forms
  }
}

const toForms = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets.flatMap(secret => [secret, secret.replace(/\s+/g, ' ').trim()]))]
    .filter(secret => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
