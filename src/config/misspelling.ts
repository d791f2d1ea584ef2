// Names that nobody knows and that look like a slip of a name that is known: `JWT_SECRT`. A slip is small within its word,
// so that another word, such as that of GITLAB_TOKEN, is none.
import { distance } from 'fastest-levenshtein'

/** Shorter ones, such as HOST, are too near to too many names. */
const MIN_NAME = 6
const MAX_NAME = 100
const MAX_TYPOS = 2

/** Of other programs, though they look like settings of this one. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['LOGLEVEL', 'PAGESIZE'])

/** What Kubernetes and Docker put into the environment for each service beside them. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//

export interface Misspelling {
  readonly name: string
  readonly meant: string
}

/**
 * Searches an environment for a name that was meant to be another.
 *
 * @param wanted names that may have been meant; one that is set was not
 * @param isKnown whether a name is one that somebody reads
 */
export function findMisspelling(
  environment: Readonly<Record<string, string | undefined>>,
  wanted: readonly string[],
  isKnown: (name: string) => boolean,
): Misspelling | undefined {
  const unset = wanted.filter(name => !environment[name])
  for (const [name, value = ''] of Object.entries(environment)) {
    if (value === '' || SERVICE_LINK.test(value) || isKnown(name)) continue
    const meant = findNearest(name, unset)
    if (meant !== undefined) return { name, meant }
  }
  return undefined
}

/** The name that was most likely meant; undefined if it is none of them. */
export function findNearest(name: string, wanted: readonly string[]): string | undefined {
  if (name.length > MAX_NAME || FOREIGN_NAMES.has(name)) return undefined
  let [meant, least] = [undefined as string | undefined, MAX_TYPOS + 1]
  for (const each of wanted.filter(({ length }) => length >= MIN_NAME && Math.abs(length - name.length) <= MAX_TYPOS)) {
    const slips = countTypos(name, each)
    if (slips < least) [meant, least] = [each, slips]
  }
  return meant
}

function countTypos(name: string, meant: string): number {
  const [words, meantWords] = [splitWords(name), splitWords(meant)]
  if (words.join('') === meantWords.join('')) return 1
  if (words.length !== meantWords.length) return Number.POSITIVE_INFINITY
  return words.reduce((sum, word, index) => sum + countWordTypos(word, meantWords[index]!), 0)
}

const splitWords = (name: string) => name.toUpperCase().split(/[^A-Z0-9]+/)

/** From how many letters on a word is the same with a letter more or less, with another letter, with two such slips. */
const [MIN_FOR_MORE, MIN_FOR_OTHER, MIN_FOR_TWO] = [3, 4, 7]

function countWordTypos(word: string, meant: string): number {
  const slips = distance(word, meant)
  const isSwap = slips === 2 && sortLetters(word) === sortLetters(meant)
  if (slips === 0 || isSwap) return isSwap ? 1 : 0
  const least = slips === 2 ? MIN_FOR_TWO : word.length === meant.length ? MIN_FOR_OTHER : MIN_FOR_MORE
  return slips <= MAX_TYPOS && meant.length >= least ? slips : Number.POSITIVE_INFINITY
}

const sortLetters = (word: string) => [...word].sort().join('')
