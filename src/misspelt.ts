// Names that nobody knows and that look like a slip of a name that is known: `JWT_SECRT`. A slip is small within its word,
// so that another word, such as that of GITLAB_TOKEN, is none.
import { distance } from 'fastest-levenshtein'

/** Shorter ones, such as HOST, are too near to too many names. */
const MIN_NAME = 6
const MAX_NAME = 100
const MAX_SLIPS = 2

/** Of other programs, though they look like settings of this one. */
const OTHERS: ReadonlySet<string> = new Set(['LOGLEVEL', 'PAGESIZE'])

/** What Kubernetes and Docker put into the environment for each service beside them. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//

export interface Slip {
  readonly name: string
  readonly meant: string
}

/**
 * Searches an environment for a name that was meant to be another.
 *
 * @param wanted names that may have been meant; one that is set was not
 * @param isKnown whether a name is one that somebody reads
 */
export function findSlip(
  environment: Readonly<Record<string, string | undefined>>,
  wanted: readonly string[],
  isKnown: (name: string) => boolean,
): Slip | undefined {
  const unset = wanted.filter(name => !environment[name])
  for (const [name, value = ''] of Object.entries(environment)) {
    if (value === '' || SERVICE_LINK.test(value) || isKnown(name)) continue
    const meant = nearest(name, unset)
    if (meant !== undefined) return { name, meant }
  }
  return undefined
}

/** The name that was most likely meant; undefined if it is none of them. */
export function nearest(name: string, wanted: readonly string[]): string | undefined {
  if (name.length > MAX_NAME || OTHERS.has(name)) return undefined
  let [meant, least] = [undefined as string | undefined, MAX_SLIPS + 1]
  for (const each of wanted.filter(({ length }) => length >= MIN_NAME && Math.abs(length - name.length) <= MAX_SLIPS)) {
    const slips = slipsBetween(name, each)
    if (slips < least) [meant, least] = [each, slips]
  }
  return meant
}

function slipsBetween(name: string, meant: string): number {
  const [words, meantWords] = [wordsOf(name), wordsOf(meant)]
  if (words.join('') === meantWords.join('')) return 1
  if (words.length !== meantWords.length) return Number.POSITIVE_INFINITY
  return words.reduce((sum, word, index) => sum + slipsWithin(word, meantWords[index]!), 0)
}

const wordsOf = (name: string) => name.toUpperCase().split(/[^A-Z0-9]+/)

/** From how many letters on a word is the same with a letter more or less, with another letter, with two such slips. */
const [MIN_FOR_MORE, MIN_FOR_OTHER, MIN_FOR_TWO] = [3, 4, 7]

function slipsWithin(word: string, meant: string): number {
  const slips = distance(word, meant)
  const isSwap = slips === 2 && sorted(word) === sorted(meant)
  if (slips === 0 || isSwap) return isSwap ? 1 : 0
  const least = slips === 2 ? MIN_FOR_TWO : word.length === meant.length ? MIN_FOR_OTHER : MIN_FOR_MORE
  return slips <= MAX_SLIPS && meant.length >= least ? slips : Number.POSITIVE_INFINITY
}

const sorted = (word: string) => [...word].sort().join('')
