// The activity of the server, in the last minutes and now: figures, charts, tools and recent calls.
import { useMemo, useState } from 'preact/hooks'
import type { CallScope } from '../../../src/activity/activity.ts'
import { Icon } from '../parts/Icon.tsx'
import { Note } from '../parts/Note.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatDuration, formatNumber } from '../results/format.ts'
import { toHash } from '../shell/router.ts'
import type { ActivityQuery } from './activity-query.ts'
import { ByTool } from './ByTool.tsx'
import { CallsTable } from './CallsTable.tsx'
import { Cards } from './Cards.tsx'
import { Chart } from './Chart.tsx'
import type { History } from './history.ts'
import { toBars, toStep } from './series.ts'
import { type FetchActivity, useActivity } from './use-activity.ts'

interface Props {
  /** Must be the same function as long as it asks the same server. */
  readonly fetchActivity: FetchActivity
  /** Shows only this tool. */
  readonly tool?: string | undefined
}

const SPANS = [
  ['5', '5 min'],
  ['15', '15 min'],
] as const

export function ActivityView({ fetchActivity, tool }: Props) {
  const [minutes, setMinutes] = useState<ActivityQuery['minutes']>(15)
  const [isToolsOnly, setToolsOnly] = useState(true)
  const [isPaused, setPaused] = useState(false)
  const query = { minutes, isToolsOnly, tool }
  const { history, problem, missed } = useActivity(fetchActivity, query, isPaused)
  return (
    <section class="pane pane-list" aria-label="Activity of the server">
      <header class="view-head">
        <h2 class="view-title cut">Activity</h2>
        {tool === undefined ? (
          <span class="muted hide-phone">
            {WHOSE[history?.scope ?? 'all']}, last {minutes} minutes
          </span>
        ) : (
          <a
            class="button button-s chosen-tool"
            href={toHash({ section: 'activity' })}
            aria-label={`${tool}: show all tools`}
          >
            <code class="cut">
              <Visible text={tool} />
            </code>
            <Icon name="x" size={12} />
          </a>
        )}
        <div class="end">
          <span class="faint num" role="status">
            {isPaused && `${formatNumber(missed)} new`}
          </span>
          <Segmented
            label="Span"
            choices={SPANS}
            value={minutes === 5 ? '5' : '15'}
            onChange={span => setMinutes(span === '5' ? 5 : 15)}
          />
          <button type="button" class="button button-s" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            <Icon name="pause" />
            Pause
          </button>
        </div>
      </header>
      <Scroll label="Charts and calls">
        <div class="pane-pad stack-16">
          {problem !== undefined && (
            <Note kind="danger" isAlert>
              <p>
                <Visible text={problem} />
              </p>
            </Note>
          )}
          {history !== undefined && <Shown history={history} query={query} onToolsOnly={setToolsOnly} />}
        </div>
      </Scroll>
    </section>
  )
}

const WHOSE: Readonly<Record<CallScope, string>> = {
  all: 'All callers of this process',
  tenant: 'Callers of your tenant',
  own: 'Your own calls',
}

/** Says how a reader can see more. */
const MORE: Readonly<Record<CallScope, string>> = {
  all: 'With several replicas, each has its own calls; these are of the one that answered.',
  tenant: 'The calls of all tenants need the scope toolrack:observe:all.',
  own: 'The calls of others need the scope toolrack:observe.',
}

interface ShownProps {
  readonly history: History
  readonly query: ActivityQuery
  onToolsOnly(isOn: boolean): void
}

function Shown({ history: { calls, figures, stats, scope }, query, onToolsOnly }: ShownProps) {
  const bars = useMemo(() => toBars(figures), [figures])
  const stepS = toStep(figures)
  const answered = bars.calls.map((count, index) => count - bars.errors[index]!)
  return (
    <>
      <Cards figures={figures} stats={stats} bars={bars} minutes={query.minutes} />
      <div class="charts">
        <Chart
          title={`Calls per ${stepS} s`}
          label={`Calls in each ${stepS} seconds`}
          kind="bars"
          least={4}
          format={formatNumber}
          times={bars.times}
          stepS={stepS}
          series={[
            { label: 'answered', swatch: 'swatch-calls', values: answered },
            { label: 'errors', swatch: 'swatch-errors', values: bars.errors },
          ]}
        />
        <Chart
          title={query.tool === undefined ? 'Latency of tools' : 'Latency'}
          label="Latency of tools, the band from p50 to p95"
          kind="band"
          least={4}
          format={formatDuration}
          times={bars.times}
          stepS={stepS}
          series={[
            { label: 'p50', swatch: 'swatch-line', values: bars.p50 },
            { label: 'to p95', swatch: 'swatch-band', values: bars.p95 },
          ]}
        />
      </div>
      <div class="activity-lists">
        <ByTool tools={figures.tools} chosen={query.tool} />
        <CallsTable
          calls={calls}
          isToolsOnly={query.isToolsOnly}
          tool={query.tool}
          sinceMs={Date.parse(figures.from)}
          onToolsOnly={onToolsOnly}
        />
      </div>
      <p class="hint">{MORE[scope]}</p>
    </>
  )
}
