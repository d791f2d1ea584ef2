// Matches `*` and `?` against a name, in time proportional to the product of both lengths. A
// client's pattern is never a regular expression.

/** Reports if the whole name matches: `*` stands for any characters, `?` for one. */
export function fits(name: string, pattern: string): boolean {
  const chars = [...name]
  const signs = [...pattern]
  let at = 0
  let sign = 0
  let star = -1
  let from = 0
  while (at < chars.length) {
    if (signs[sign] === '*') {
      star = sign++
      from = at
    } else if (signs[sign] === '?' || signs[sign] === chars[at]) {
      sign++
      at++
    } else if (star >= 0) {
      // The last star takes one more character; earlier stars need not be tried again.
      sign = star + 1
      at = ++from
    } else {
      return false
    }
  }
  return signs.slice(sign).every(rest => rest === '*')
}
