// Which known name a wrong one stands for: "did you mean …?".
import { distance } from 'fastest-levenshtein'

/** Upper case, `_` and `-` make no other name. */
export const toPlainName = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** How far a candidate is from a name, in letters; infinity if the name cannot stand for it. */
export type MeasureName = (name: string, candidate: string) => number

/**
 * @param tolerance letters that may differ, or a measure; default: 2 letters, in short names 1
 * @returns undefined if no candidate is near enough; of equally near ones the first
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
    // Comparing long names takes long, and as many letters as one has more are typos.
    if (Math.abs(plain.length - other.length) > allowed) return Number.POSITIVE_INFINITY
    const typos = distance(plain, other)
    return typos <= allowed ? typos : Number.POSITIVE_INFINITY
  }

/** Names of one or two letters resemble too many others. */
function countAllowedTypos(plain: string, candidate: string): number {
  if (candidate.length < 3) return -1
  return Math.min(plain.length, candidate.length) < 6 ? 1 : 2
}
