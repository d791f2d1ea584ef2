// `multipleOf` in decimal: 19.99 is a multiple of 0.01 in JSON, but not in binary.
// https://json-schema.org/draft/2020-12/json-schema-validation, section 6.2.1.

/** @param divisor greater than 0 */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const left = toDecimal(value)
  const right = toDecimal(divisor)
  const exponent = Math.min(left.exponent, right.exponent)
  return scale(left, exponent) % scale(right, exponent) === 0n
}

/** digits × 10^exponent: the shortest decimal that parses to this number. */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

function toDecimal(number: number): Decimal {
  const [mantissa, exponent] = number.toExponential().split('e') as [string, string]
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?]
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

// At most about 650 digits: the exponents of doubles are -324 to 308.
const scale = ({ digits, exponent }: Decimal, to: number) => digits * 10n ** BigInt(exponent - to)
