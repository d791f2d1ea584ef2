// The recent calls with their filters, the newest first, or sorted by a column.
import { useMemo, useState } from 'preact/hooks'
import type { ActivityCall } from '../../../src/activity/activity.ts'
import { SearchInput } from '../parts/SearchInput.tsx'
import { Switch } from '../parts/Switch.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatBytes, formatClock, formatCount, formatDuration } from '../results/format.ts'
import { SortHeader } from '../results/SortHeader.tsx'
import { type Order, sortRows } from '../results/sort.ts'
import { type CallFilter, filterCalls, isError, type OutcomeFilter } from './history.ts'

const STEP = 50

const OUTCOMES: readonly (readonly [OutcomeFilter, string])[] = [
  ['all', 'All outcomes'],
  ['errors', 'Errors'],
  ['answered', 'Answered'],
]

interface Column {
  readonly column: keyof ActivityCall
  readonly title: string
  readonly isNumber: boolean
}

const COLUMNS: readonly Column[] = [
  { column: 'at', title: 'Time', isNumber: false },
  { column: 'target', title: 'Tool', isNumber: false },
  { column: 'outcome', title: 'Outcome', isNumber: false },
  { column: 'caller', title: 'Caller', isNumber: false },
  { column: 'durationMs', title: 'Took', isNumber: true },
  { column: 'bytes', title: 'Size', isNumber: true },
]

const NEWEST_FIRST: Order = { column: 'at', isDescending: true }

const readColumn = (call: ActivityCall, column: string) => call[column as keyof ActivityCall]

interface Props extends Pick<CallFilter, 'isToolsOnly' | 'tool' | 'sinceMs'> {
  readonly calls: readonly ActivityCall[]
  onToolsOnly(isOn: boolean): void
}

export function CallsTable({ calls, isToolsOnly, tool, sinceMs, onToolsOnly }: Props) {
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<OutcomeFilter>('all')
  const [limit, setLimit] = useState(STEP)
  const [order, setOrder] = useState<Order | undefined>(NEWEST_FIRST)
  const found = useMemo(
    () => filterCalls(calls, { text, outcome, isToolsOnly, tool, sinceMs }),
    [calls, text, outcome, isToolsOnly, tool, sinceMs],
  )
  const rows = useMemo(() => sortRows(found.toReversed(), order, readColumn), [found, order])
  return (
    <section class="card calls" aria-label="Recent calls">
      <div class="filters">
        <SearchInput label="Filter calls" placeholder="Tool, caller, outcome" query={text} onQuery={setText} />
        <select
          class="select select-s"
          aria-label="Outcome"
          value={outcome}
          onChange={event => setOutcome(event.currentTarget.value as OutcomeFilter)}
        >
          {OUTCOMES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Switch isOn={isToolsOnly} onChange={onToolsOnly}>
          Tools only
        </Switch>
        <span class="faint num filters-count" role="status">
          {formatCount(found.length, 'call')}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <div class="grid-scroll" tabIndex={0} role="group" aria-label="Rows">
        <table class="grid">
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
            {rows.slice(0, limit).map(call => (
              <Call key={call.seq} call={call} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <NoCalls isFiltered={text !== '' || outcome !== 'all' || tool !== undefined} />}
      </div>
      {limit < rows.length && (
        <div class="more-calls">
          <button type="button" class="button button-s" onClick={() => setLimit(limit + STEP)}>
            {Math.min(STEP, rows.length - limit)} more
          </button>
        </div>
      )}
    </section>
  )
}

const NoCalls = ({ isFiltered }: { isFiltered: boolean }) => (
  <div class="empty">
    <strong>{isFiltered ? 'No call matches' : 'Nothing called yet'}</strong>
    <p>{isFiltered ? 'Tools, callers and outcomes were searched.' : 'Calls of all clients show here as they end.'}</p>
  </div>
)

const DOTS: Readonly<Record<string, string>> = {
  ok: 'dot dot-ok',
  limited: 'dot dot-warning',
  busy: 'dot dot-warning',
  input_required: 'dot dot-warning',
}

/** Shorter than the server's words. */
const WORDS: Readonly<Record<string, string>> = {
  timed_out: 'timeout',
  input_required: 'asks',
  unconfirmed: 'asks to confirm',
}

function Call({ call }: { call: ActivityCall }) {
  const { at, method, target, caller, issuer, tenant, outcome, durationMs, bytes } = call
  const isTool = method === 'tools/call'
  return (
    <tr>
      <td class="num muted">
        <time dateTime={at}>{formatClock(Date.parse(at))}</time>
      </td>
      <td class="mono" title={target}>
        {!isTool && (
          <span class="muted">
            <Visible text={method} />
          </span>
        )}
        {target !== undefined && (
          <>
            {!isTool && ' '}
            <Visible text={target} />
          </>
        )}
      </td>
      <td>
        <span class="outcome-cell">
          <span class={DOTS[outcome] ?? (isError(call) ? 'dot dot-danger' : 'dot dot-off')} />
          {WORDS[outcome] ?? outcome.replaceAll('_', ' ')}
        </span>
      </td>
      <td class="muted" title={issuer}>
        {caller === undefined ? '–' : <Visible text={caller} />}
        {tenant !== undefined && (
          <>
            {' · '}
            <Visible text={tenant} />
          </>
        )}
      </td>
      <td class="n">{formatDuration(durationMs)}</td>
      <td class="n muted">{bytes === undefined ? '–' : formatBytes(bytes)}</td>
    </tr>
  )
}
