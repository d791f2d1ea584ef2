// Rows of flat objects as a table that the user can sort. Many rows are shown in steps.
import { useMemo, useState } from 'preact/hooks'
import { Visible } from './PlainText.tsx'
import { SortHeader } from './SortHeader.tsx'
import { type Order, sortRows } from './sort.ts'
import { type Row, readCell, type Table } from './values.ts'

const STEP = 100
const MAX_CELL = 300

export function ValueTable({ table: { name, columns, rows } }: { table: Table }) {
  const [count, setCount] = useState(STEP)
  const [order, setOrder] = useState<Order>()
  const shown = useMemo(() => sortRows(rows, order, readOwn), [rows, order]).slice(0, count)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section class="scroll value-table" tabIndex={0} aria-label="Table">
        <table>
          <caption>
            {name !== undefined && (
              <>
                <code>
                  <Visible text={name} />
                </code>
                {': '}
              </>
            )}
            {rows.length.toLocaleString('en')} {rows.length === 1 ? 'row' : 'rows'}
          </caption>
          <thead>
            <tr>
              {columns.map(column => (
                <SortHeader
                  key={column}
                  column={column}
                  isNumber={typeof rows[0]?.[column] === 'number'}
                  order={order}
                  onOrder={setOrder}
                >
                  <Visible text={column} />
                </SortHeader>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index}>
                {columns.map(column => (
                  <td key={column} class={typeof row[column] === 'number' ? 'number' : undefined}>
                    <Cell text={readCell(row, column)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {count < rows.length && (
        <p class="row hint">
          {count.toLocaleString('en')} of {rows.length.toLocaleString('en')} rows.
          <button type="button" class="button button-small" onClick={() => setCount(count + STEP)}>
            Show {STEP} more
          </button>
        </p>
      )}
    </>
  )
}

const readOwn = (row: Row, column: string) => (Object.hasOwn(row, column) ? row[column] : undefined)

const Cell = ({ text }: { text: string }) => (
  <Visible text={text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text} />
)
