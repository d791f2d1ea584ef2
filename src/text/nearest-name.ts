// Which known name a wrong one stands for: "did you mean …?".
import { distance } from 'fastest-levenshtein'

/** Upper case, `_` and `-` make no other name. */
export const toPlainName = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/**
 * @param maxTypos letters that may differ; default: 2, in short names 1
 * @returns undefined if each candidate differs in more; of equally near ones the first
 */
export function findNearestName(name: string, candidates: Iterable<string>, maxTypos?: number): string | undefined {
  let [nearest, least] = [undefined as string | undefined, Number.POSITIVE_INFINITY]
  const plain = toPlainName(name)
  for (const candidate of candidates) {
    const other = toPlainName(candidate)
    const allowed = maxTypos ?? countAllowedTypos(plain, candidate)
    // Comparing long names takes long, and as many letters as one has more are typos.
    if (Math.abs(plain.length - other.length) > allowed) continue
    const typos = distance(plain, other)
    if (typos <= allowed && typos < least) [nearest, least] = [candidate, typos]
  }
  return nearest
}

/** Names of one or two letters resemble too many others. */
function countAllowedTypos(plain: string, candidate: string): number {
  if (candidate.length < 3) return -1
  return Math.min(plain.length, candidate.length) < 6 ? 1 : 2
}
