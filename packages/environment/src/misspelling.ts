// Finds unknown names that look like a misspelt setting: `JWT_SECRT`. The typo must be small within
// one word, so GITLAB_TOKEN is not a misspelling.
import { distance } from 'fastest-levenshtein'
import { findNearestName } from 'toolrack/text'

/** Shorter names, such as HOST, resemble too many others. */
const MIN_NAME = 6
const MAX_NAME = 100
const MAX_TYPOS = 2

/** Variables of other programs that look like our settings. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['LOGLEVEL', 'PAGESIZE'])

/**
 * Words of the specifications and of other servers in place of those of a setting: too far away to
 * be a typo. Without the setting the server would be open, or take all clients for one.
 */
const SYNONYMS: Readonly<Record<string, string>> = {
  JWKS_URL: 'JWT_JWKS_URL',
  JWKS_URI: 'JWT_JWKS_URL',
  JWT_JWKS: 'JWT_JWKS_URL',
  JWT_JWKS_URI: 'JWT_JWKS_URL',
  JWT_AUD: 'JWT_AUDIENCE',
  JWT_ISS: 'JWT_ISSUER',
  JWT_ISSUER_URL: 'JWT_ISSUER',
  TRUSTED_PROXY: 'TRUST_PROXY',
  TRUST_PROXIES: 'TRUST_PROXY',
}

/** Kubernetes and Docker set such variables for each linked service. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//

/** `METRICS_PORT=tcp://10.0.0.1:80` is of a service named metrics, and no setting. */
export const isServiceLink = (name: string, value: string): boolean =>
  name.endsWith('_PORT') && SERVICE_LINK.test(value)

export interface Misspelling {
  readonly name: string
  readonly meant: string
}

/**
 * @param wanted names that may be meant; names with a value are skipped
 * @param isKnown whether a program reads the name
 */
export function* findMisspellings(
  environment: Readonly<Record<string, string | undefined>>,
  wanted: readonly string[],
  isKnown: (name: string) => boolean,
): Generator<Misspelling> {
  const unset = wanted.filter(name => !environment[name])
  for (const [name, value = ''] of Object.entries(environment)) {
    if (value === '' || SERVICE_LINK.test(value) || isKnown(name)) continue
    const meant = findMeantSetting(name, unset)
    if (meant !== undefined) yield { name, meant }
  }
}

/** @returns undefined if no name is close enough */
export function findMeantSetting(name: string, wanted: readonly string[]): string | undefined {
  if (name.length > MAX_NAME || FOREIGN_NAMES.has(name)) return undefined
  const synonym = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined
  return synonym !== undefined && wanted.includes(synonym) ? synonym : findNearestName(name, wanted, countTypos)
}

function countTypos(name: string, meant: string): number {
  if (meant.length < MIN_NAME || Math.abs(meant.length - name.length) > MAX_TYPOS) return Number.POSITIVE_INFINITY
  const [words, meantWords] = [splitWords(name), splitWords(meant)]
  if (words.join('') === meantWords.join('')) return 1
  if (words.length !== meantWords.length) return Number.POSITIVE_INFINITY
  const slips = words.reduce((sum, word, index) => sum + countWordTypos(word, meantWords[index]!), 0)
  return slips <= MAX_TYPOS ? slips : Number.POSITIVE_INFINITY
}

const splitWords = (name: string) => name.toUpperCase().split(/[^A-Z0-9]+/)

/** Minimum length of a word for a letter more or less, for another letter, for two such typos. */
const [MIN_FOR_MORE, MIN_FOR_OTHER, MIN_FOR_TWO] = [3, 4, 7]

function countWordTypos(word: string, meant: string): number {
  const slips = distance(word, meant)
  const isSwap = slips === 2 && sortLetters(word) === sortLetters(meant)
  if (slips === 0 || isSwap) return isSwap ? 1 : 0
  const least = slips === 2 ? MIN_FOR_TWO : word.length === meant.length ? MIN_FOR_OTHER : MIN_FOR_MORE
  return slips <= MAX_TYPOS && meant.length >= least ? slips : Number.POSITIVE_INFINITY
}

const sortLetters = (word: string) => [...word].sort().join('')
