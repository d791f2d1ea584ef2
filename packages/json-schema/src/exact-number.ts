// Numbers as they are written. JavaScript rounds numbers with too many digits, and turns 1e400 into
// infinity.

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Whether a text is a number of JSON. */
export const isNumber = (text: string): boolean => NUMBER.test(text)

/** Whether the number that is sent equals the written one; `1.0` is sent as 1. */
export const isExact = (text: string): boolean => {
  const value = Number(text)
  return Number.isFinite(value) && toDigits(text) === toDigits(String(value))
}

/** The number, if the text is a number that is sent unchanged. */
export const parseNumber = (text: string): number | undefined =>
  isNumber(text) && isExact(text) ? Number(text) : undefined

/**
 * The same text for every way to write a number: its digits without zeros at either end, and the
 * position of the point.
 */
function toDigits(text: string): string {
  const [, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  const kept = withoutEndZeros(digits)
  if (kept === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - kept.length
  return `${text.startsWith('-') ? '-' : ''}${kept}e${power}`
}

/** Without a pattern, which would try each run of zeros from each of its digits. */
function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
