// Accumulates the values of a column in one pass, and summarises them at the end.
import { ToolError } from 'toolrack'

export const OPERATIONS = ['sum', 'average', 'min', 'max', 'count'] as const
export type Operation = (typeof OPERATIONS)[number]

export interface Column {
  readonly name: string
  readonly index: number
  count: number
  numbers: number
  sum: number
  /** Rounding error of the sum so far (Neumaier). */
  lost: number
  min: number
  max: number
}

export function newColumn(name: string, index: number): Column {
  return { name, index, count: 0, numbers: 0, sum: 0, lost: 0, min: Infinity, max: -Infinity }
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

export function addValue(column: Column, value: string): void {
  if (value === '') return
  column.count++
  const number = NUMBER.test(value) ? Number(value) : Number.NaN
  if (!Number.isFinite(number)) return
  column.numbers++
  const sum = column.sum + number
  column.lost += Math.abs(column.sum) >= Math.abs(number) ? column.sum - sum + number : number - sum + column.sum
  column.sum = sum
  if (number < column.min) column.min = number
  if (number > column.max) column.max = number
}

export function summaryOf(column: Column, operations: readonly Operation[]) {
  const { name, count, numbers, min, max } = column
  const told = { name, type: typeOf(column), count }
  if (count === 0 || numbers < count) return told
  const sum = column.sum + column.lost
  if (!Number.isFinite(sum)) {
    throw new ToolError(`The sum of column ${JSON.stringify(name)} is beyond ±${Number.MAX_VALUE}. Leave it out.`)
  }
  const values: Record<Operation, number> = { sum, average: sum / numbers, min, max, count }
  const asked = Object.fromEntries(operations.map(operation => [operation, values[operation]]))
  return { ...told, ...(asked as Partial<typeof values>), count }
}

function typeOf({ count, numbers }: Column): 'number' | 'text' | 'mixed' | 'empty' {
  if (count === 0) return 'empty'
  if (numbers === count) return 'number'
  return numbers === 0 ? 'text' : 'mixed'
}
