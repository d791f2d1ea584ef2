// The order of a table's rows.
export interface Order {
  readonly column: string
  readonly isDescending: boolean
}

/** First the original order, then descending, then ascending. */
export function nextOrder(order: Order | undefined, column: string): Order | undefined {
  if (order?.column !== column) return { column, isDescending: true }
  return order.isDescending ? { column, isDescending: false } : undefined
}

/** Rows without a value come last, in both directions. @param read the value of a row in a column */
export function sortRows<Row>(
  rows: readonly Row[],
  order: Order | undefined,
  read: (row: Row, column: string) => unknown,
): readonly Row[] {
  if (order === undefined) return rows
  const keyed = rows.map(row => ({ row, key: read(row, order.column) ?? undefined }))
  const compare = createCompare()
  const sign = order.isDescending ? -1 : 1
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
    return sign * compare(a.key, b.key)
  })
  return keyed.map(({ row }) => row)
}

function createCompare() {
  const collator = new Intl.Collator('en', { numeric: true })
  return (a: unknown, b: unknown): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
}
