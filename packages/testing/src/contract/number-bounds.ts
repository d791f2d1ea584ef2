// Compares the bounds of numbers. For integers, `exclusiveMinimum: 0` is the same as `minimum: 1`.
import type { JsonObject } from 'toolrack'
import { findTypes } from './schema-reading.ts'

interface Bound {
  readonly keyword: string
  /** Greater means narrower, also for an upper bound. */
  readonly limit: number
  readonly isExclusive: boolean
}

interface Side {
  readonly inclusive: string
  readonly exclusive: string
  /** -1 turns an upper bound into a lower one. */
  readonly sign: 1 | -1
}

const SIDES: readonly Side[] = [
  { inclusive: 'minimum', exclusive: 'exclusiveMinimum', sign: 1 },
  { inclusive: 'maximum', exclusive: 'exclusiveMaximum', sign: -1 },
]

/** The keywords of `to` that refuse numbers that `from` allows. */
export function findNarrowedBounds(from: JsonObject, to: JsonObject): string[] {
  const isInteger = !findTypes(from).includes('number')
  return SIDES.flatMap(side => {
    const [was, is] = [findBound(from, side, isInteger), findBound(to, side, isInteger)]
    return is !== undefined && (was === undefined || isNarrower(is, was)) ? [is.keyword] : []
  })
}

function findBound(schema: JsonObject, { inclusive, exclusive, sign }: Side, isInteger: boolean): Bound | undefined {
  const bounds = [inclusive, exclusive].flatMap((keyword): Bound[] => {
    const value = schema[keyword]
    if (typeof value !== 'number') return []
    const isExclusive = keyword === exclusive
    const limit = sign * value
    if (!isInteger) return [{ keyword, limit, isExclusive }]
    return [{ keyword, limit: isExclusive ? Math.floor(limit) + 1 : Math.ceil(limit), isExclusive: false }]
  })
  return bounds.reduce<Bound | undefined>(
    (narrowest, each) => (narrowest === undefined || isNarrower(each, narrowest) ? each : narrowest),
    undefined,
  )
}

const isNarrower = (one: Bound, other: Bound): boolean =>
  one.limit > other.limit || (one.limit === other.limit && one.isExclusive && !other.isExclusive)
