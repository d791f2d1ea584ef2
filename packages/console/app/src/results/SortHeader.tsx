// The heading of a column: a button that sorts the rows. WAI-ARIA: Sortable Table.
import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/Icon.tsx'
import { nextOrder, type Order } from './sort.ts'

interface Props {
  readonly column: string
  readonly isNumber: boolean
  /** Type of the values, such as `timestamptz`. */
  readonly type?: string
  readonly order: Order | undefined
  readonly children: ComponentChildren
  onOrder(order: Order | undefined): void
}

export function SortHeader({ column, isNumber, type, order, children, onOrder }: Props) {
  const sorted = order?.column !== column ? undefined : order.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={isNumber ? 'n' : undefined} aria-sort={sorted} title={type}>
      <button type="button" onClick={() => onOrder(nextOrder(order, column))}>
        {children}
        <Icon name="down" />
      </button>
    </th>
  )
}
