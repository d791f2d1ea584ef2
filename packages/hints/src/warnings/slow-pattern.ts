// Finds patterns that are slow in an engine that backtracks, by trying them. The test texts repeat
// parts of the pattern, and then end in another way.
import { isPlain } from '@toolrack/json-schema/plain-pattern'
import { OutOfTime, runWithin } from '@toolrack/json-schema/processor-limit'

/** A repeated choice doubles the steps of each character: 2^40 would take an hour. */
const LENGTH = 40
/** Time for all texts together, ms of processor time. */
const MAX_TRY_MS = 20
/** Maximum number of letters that are tried, alone and in pairs. */
const MAX_LETTERS = 8
const OTHERWISE = '\u0000\n'

/** @returns whether a text of some 40 characters makes it slow; for longer texts no answer is sure */
export function isSlow(source: string): boolean {
  if (isPlain(source)) return false
  const pattern = compile(source)
  if (pattern === undefined) return false
  const prefix = /^\^?((?:[\w\s@/:-]|\\[-./:])*)(?![*+?{])/.exec(source)?.[1]?.replaceAll('\\', '') ?? ''
  const texts = findUnits(source).map(unit => unit.repeat(Math.ceil(LENGTH / unit.length)) + OTHERWISE)
  const all = prefix === '' ? texts : [...texts, ...texts.map(text => prefix + text)]
  try {
    runWithin(MAX_TRY_MS, () => all.filter(text => pattern.test(text)))
    return false
  } catch (error) {
    if (error instanceof OutOfTime) return true
    throw error
  }
}

function compile(source: string): RegExp | undefined {
  for (const flags of ['', 'u', 'v']) {
    try {
      return new RegExp(source, flags)
    } catch {
      // The pattern needs other flags.
    }
  }
  return undefined
}

/** Parts that may repeat: letters of the pattern, alone and in pairs. */
function findUnits(source: string): readonly string[] {
  const own = source.replace(/\\[a-zA-Z]|[\\^$*+?()[\]{}|]/g, '')
  const letters = [...new Set(['a', '0', 'A', ' ', '-', ...own])].slice(0, MAX_LETTERS + 5)
  const pairs = letters
    .slice(0, MAX_LETTERS)
    .flatMap(first => letters.slice(0, MAX_LETTERS).map(second => first + second))
  return [...letters, ...pairs.filter(([first, second]) => first !== second)]
}
