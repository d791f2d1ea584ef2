// Finds the known name that a wrong name probably means: "did you mean …?".
import { distance } from 'fastest-levenshtein'

/** Removes differences of case, `_` and `-`. */
export const toPlainName = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** The distance of a candidate from a name, in letters; infinity if the name cannot mean it. */
export type MeasureName = (name: string, candidate: string) => number

/**
 * @param tolerance number of letters that may differ, or a measure; default: 2, in short names 1
 * @returns undefined if no candidate is near enough; if several are equally near, the first
 */
export function findNearestName(
  name: string,
  candidates: Iterable<string>,
  tolerance?: number | MeasureName,
): string | undefined {
  const measure = typeof tolerance === 'function' ? tolerance : createMeasure(tolerance)
  let [nearest, least] = [undefined as string | undefined, Number.POSITIVE_INFINITY]
  for (const candidate of candidates) {
    const typos = measure(name, candidate)
    if (typos < least) [nearest, least] = [candidate, typos]
  }
  return nearest
}

const createMeasure =
  (maxTypos: number | undefined): MeasureName =>
  (name, candidate) => {
    const [plain, other] = [toPlainName(name), toPlainName(candidate)]
    const allowed = maxTypos ?? countAllowedTypos(plain, candidate)
    // Comparing long names is slow, and each letter that one has more is a typo anyway.
    if (Math.abs(plain.length - other.length) > allowed) return Number.POSITIVE_INFINITY
    const typos = distance(plain, other)
    return typos <= allowed ? typos : Number.POSITIVE_INFINITY
  }

/** Names of one or two letters are similar to too many others. */
function countAllowedTypos(plain: string, candidate: string): number {
  if (candidate.length < 3) return -1
  return Math.min(plain.length, candidate.length) < 6 ? 1 : 2
}
