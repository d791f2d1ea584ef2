// `*` and `?` against a name, in time proportional to both lengths: what a client writes is never a regular expression.

/** Whether the whole name fits: `*` stands for any characters, `?` for one. */
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
      // The last star takes one more; those before it need not be tried again.
      sign = star + 1
      at = ++from
    } else {
      return false
    }
  }
  return signs.slice(sign).every(rest => rest === '*')
}
