// Takes out of a text what must not leave: secrets of the settings, tokens, credentials in URLs, absolute paths.
import { NAMES_IN_TEXTS } from './secret-names.ts'

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
const SHAPED: readonly Rule[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?/g, SECRET],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/'"]{1,500}@/gi, '$1[credentials]@'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, '$1 [token]'],
  [/(?<![\w-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, '[token]'],
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|AKIA|AIza)[-_A-Za-z0-9]{12,}/g, SECRET],
]
const SECRETS: readonly Rule[] = [...SHAPED, [new RegExp(`(${NAMES_IN_TEXTS})[^\\s"'&,;]{3,}`, 'gi'), `$1${SECRET}`]]

const PATHS: readonly Rule[] = [
  [/\bfile:\/\/\/[^\s'"<>()]+/gi, '[path]'],
  [/(?<![\w./\\-])\/(?:[^\s/\\'"`<>()[\]{}|:;,*?]+\/)+[^\s/\\'"`<>()[\]{}|:;,*?]*/g, '[path]'],
  [/(?<![\w./\\-])\/(?:etc|home|root|tmp|usr|var|opt|proc|sys|dev|srv|mnt|app)\b[\w.@+~-]*/g, '[path]'],
  [/(?<![\w/])(?:[A-Za-z]:|\\\\[\w.$-]+)\\[^\s'"<>|:*?]+/g, '[path]'],
]

/** @param secrets values that must never be shown: as they stand, or on one line */
export const createMask = (secrets: readonly string[]): Mask => maskOf(secrets, [...SECRETS, ...PATHS])

/** The same, but for paths: for who may know them, and has to. */
export const createSecretMask = (secrets: readonly string[]): Mask => maskOf(secrets, SECRETS)

/**
 * For the errors of a tool file that does not load: shows also what only stands behind a word such as "token", since
 * there messages say what is wrong with the setting of that name.
 */
export const createLoadMask = (secrets: readonly string[]): Mask => maskOf(secrets, SHAPED)

function maskOf(secrets: readonly string[], rules: readonly Rule[]): Mask {
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
