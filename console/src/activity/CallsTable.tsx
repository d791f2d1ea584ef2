// The recent calls, the newest first or ordered by a column, with a filter.
import { useMemo, useState } from 'preact/hooks'
import { formatSize } from '../results/files.ts'
import { Visible } from '../results/PlainText.tsx'
import { SortHeader } from '../results/SortHeader.tsx'
import { type Order, sortRows } from '../results/sort.ts'
import { type ActivityCall, filterCalls, isError, type OutcomeFilter } from './history.ts'
import { formatMs } from './series.ts'

const STEP = 50

const OUTCOMES: Readonly<Record<OutcomeFilter, string>> = { all: 'All', errors: 'Errors', ok: 'Without errors' }

interface Column {
  readonly column: keyof ActivityCall
  readonly title: string
  readonly isNumber: boolean
}

const COLUMNS: readonly Column[] = [
  { column: 'at', title: 'Time', isNumber: false },
  { column: 'target', title: 'Call', isNumber: false },
  { column: 'caller', title: 'Caller', isNumber: false },
  { column: 'outcome', title: 'Outcome', isNumber: false },
  { column: 'durationMs', title: 'Took', isNumber: true },
  { column: 'bytes', title: 'Size', isNumber: true },
]

const readColumn = (call: ActivityCall, column: string) => call[column as keyof ActivityCall]

export function CallsTable({ calls }: { calls: readonly ActivityCall[] }) {
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<OutcomeFilter>('all')
  const [count, setCount] = useState(STEP)
  const [order, setOrder] = useState<Order>()
  const found = useMemo(
    () => sortRows(filterCalls(calls, text, outcome), order, readColumn),
    [calls, text, outcome, order],
  )
  return (
    <>
      <div class="row filters">
        <label>
          Filter{' '}
          <input
            type="search"
            value={text}
            placeholder="Tool, caller, outcome"
            onInput={event => setText(event.currentTarget.value)}
          />
        </label>
        <label>
          Outcome{' '}
          <select value={outcome} onChange={event => setOutcome(event.currentTarget.value as OutcomeFilter)}>
            {Object.entries(OUTCOMES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <span class="hint" role="status">
          {found.length === calls.length ? `${calls.length} calls` : `${found.length} of ${calls.length} calls`}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section class="scroll calls" tabIndex={0} aria-label="Recent calls">
        <table>
          <thead>
            <tr>
              {COLUMNS.map(({ column, title, isNumber }) => (
                <SortHeader key={column} column={column} isNumber={isNumber} order={order} onOrder={setOrder}>
                  {title}
                </SortHeader>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, count).map(call => (
              <Call key={call.seq} call={call} />
            ))}
          </tbody>
        </table>
        {found.length === 0 && <p class="hint empty">{calls.length === 0 ? 'No calls yet.' : 'No call matches.'}</p>}
      </section>
      {count < found.length && (
        <button type="button" class="button button-small" onClick={() => setCount(count + STEP)}>
          Show more
        </button>
      )}
    </>
  )
}

function Call({ call }: { call: ActivityCall }) {
  const { at, method, target, caller, issuer, tenant, outcome, durationMs, bytes } = call
  return (
    <tr>
      <td>
        <time dateTime={at}>{new Date(at).toLocaleTimeString('en-GB')}</time>
      </td>
      <td>
        {target !== undefined && (
          <>
            <strong>
              <Visible text={target} />
            </strong>{' '}
          </>
        )}
        <span class="hint">
          <Visible text={method} />
        </span>
      </td>
      <td title={issuer}>
        {caller !== undefined && <Visible text={caller} />}
        {tenant !== undefined && (
          <span class="hint">
            {' '}
            <Visible text={tenant} />
          </span>
        )}
      </td>
      <td>
        <span class={isError(call) ? 'badge badge-error' : 'badge badge-ok'}>{outcome.replaceAll('_', ' ')}</span>
      </td>
      <td class="number">{formatMs(durationMs)}</td>
      <td class="number">{bytes === undefined ? '–' : formatSize(bytes)}</td>
    </tr>
  )
}
