// The heading of a column: a button that orders the rows. WAI-ARIA: Sortable Table.
import type { ComponentChildren } from 'preact'
import { nextOrder, type Order } from './sort.ts'

interface Props {
  readonly column: string
  readonly isNumber: boolean
  readonly order: Order | undefined
  readonly children: ComponentChildren
  onOrder(order: Order | undefined): void
}

export function SortHeader({ column, isNumber, order, children, onOrder }: Props) {
  const sorted = order?.column !== column ? undefined : order.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={sorted}>
      <button type="button" class="sort" onClick={() => onOrder(nextOrder(order, column))}>
        {children}
      </button>
    </th>
  )
}
