// Rows as a table. Its head sorts; its foot filters, turns pages and creates CSV.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { saveFile } from '../parts/download.ts'
import { Icon } from '../parts/Icon.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { SearchInput } from '../parts/SearchInput.tsx'
import { Visible } from '../parts/Visible.tsx'
import { toCsv } from './csv.ts'
import { formatNumber } from './format.ts'
import { type Column, createFilter, formatCell, type Rows } from './rows.ts'
import { SortHeader } from './SortHeader.tsx'
import { type Order, sortRows } from './sort.ts'
import { isScalar } from './values.ts'
import { useWholeText } from './whole-text.tsx'

const PAGE = 50
/** The column may cut longer texts, so they can take the focus and show the rest. */
const MAY_BE_CUT = 36
const MAX_CELL = 400

interface Props {
  readonly rows: Rows
  /** Without extension. */
  readonly fileName: string
  readonly isBox?: boolean | undefined
  /** Content above the table, which scrolls with it. */
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
}

export function RowsTable({ rows, fileName, isBox, before, after }: Props) {
  const [query, search] = useState('')
  const [order, setOrder] = useState<Order>()
  const [page, setPage] = useState(0)
  const filter = useMemo(() => createFilter(rows), [rows])
  const shown = useMemo(() => {
    const names = rows.columns.map(({ name }) => name)
    return sortRows(filter(query), order, (row, column) => rows.read(row, names.indexOf(column)))
  }, [rows, filter, query, order])
  // The filter or the order may have removed the current page.
  useEffect(() => setPage(0), [rows, query, order])
  const whole = useWholeText()
  const from = page * PAGE
  return (
    <>
      <Scroll label="Rows" isBox={isBox}>
        {before}
        <table class="grid" {...whole.handlers}>
          <thead>
            <tr>
              <th scope="col" class="gutter">
                <span class="vh">Row</span>
              </th>
              {rows.columns.map(({ name, type, isNumber }) => (
                <SortHeader key={name} column={name} isNumber={isNumber} type={type} order={order} onOrder={setOrder}>
                  <Visible text={name} />
                </SortHeader>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(from, from + PAGE).map((row, index) => (
              <tr key={from + index}>
                <td class="gutter">{formatNumber(from + index + 1)}</td>
                {rows.columns.map((column, each) => (
                  <Cell key={column.name} column={column} value={rows.read(row, each)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length === 0 && (
          <p class="pane-pad muted">
            No row matches “<Visible text={query} />
            ”.{' '}
            <button type="button" class="link" onClick={() => search('')}>
              Clear
            </button>
          </p>
        )}
        {after !== undefined && <div class="pane-pad">{after}</div>}
        {whole.view}
      </Scroll>
      <footer class="pane-bar table-foot">
        <SearchInput label="Filter rows" placeholder="Filter rows" query={query} isInTable onQuery={search} />
        <div class="row">
          <Pager page={page} count={shown.length} onPage={setPage} />
          <button
            type="button"
            class="button button-ghost button-s hide-narrow-pane"
            title="Download the rows as CSV"
            onClick={() => saveFile(`${fileName}.csv`, toCsv(rows, shown))}
          >
            <Icon name="download" />
            CSV
          </button>
        </div>
      </footer>
    </>
  )
}

interface PagerProps {
  readonly page: number
  readonly count: number
  onPage(page: number): void
}

const Pager = ({ page, count, onPage }: PagerProps) => {
  const last = Math.min(count, (page + 1) * PAGE)
  return (
    <>
      <span class="pager" role="status">
        {count === 0 ? '0' : `${formatNumber(page * PAGE + 1)}–${formatNumber(last)}`} of {formatNumber(count)}
      </span>
      {count > PAGE && (
        <>
          <button
            type="button"
            class="icon-button"
            aria-label="Page before"
            disabled={page === 0}
            onClick={() => onPage(page - 1)}
          >
            <Icon name="left" />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Next page"
            disabled={last === count}
            onClick={() => onPage(page + 1)}
          >
            <Icon name="right" />
          </button>
        </>
      )}
    </>
  )
}

function Cell({ column, value }: { column: Column; value: unknown }) {
  if (value === null) {
    return (
      <td class={column.isNumber ? 'n' : undefined}>
        <span class="null">null</span>
      </td>
    )
  }
  if (value === false) {
    return (
      <td>
        <span class="muted">false</span>
      </td>
    )
  }
  const text = formatCell(value, column)
  if (column.isNumber) return <td class="n">{text}</td>
  return (
    <td class={/^\d{4}-\d\d-\d\d/.test(text) ? 'num' : undefined}>
      <CutText text={text} isCode={!isScalar(value)} />
    </td>
  )
}

/** The width of its column cuts a long text. With the focus, it shows the whole. */
const CutText = ({ text, isCode }: { text: string; isCode: boolean }) => {
  const className = isCode ? 'cell mono' : 'cell'
  const short = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text
  return text.length > MAY_BE_CUT || text.includes('\n') ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the rest of the text shows on focus
    <span class={className} tabIndex={0} data-whole={text.slice(0, 4_000)}>
      <Visible text={short} />
    </span>
  ) : (
    <span class={className}>
      <Visible text={short} />
    </span>
  )
}
