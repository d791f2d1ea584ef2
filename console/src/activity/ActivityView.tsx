// What the server does now: its recent calls, and charts of calls, errors, latency, calls under way and memory.
import { useMemo, useState } from 'preact/hooks'
import { Visible } from '../results/PlainText.tsx'
import { CallsTable } from './CallsTable.tsx'
import { Chart } from './Chart.tsx'
import type { CallScope, History } from './history.ts'
import { formatMs, summarizeTools, type ToolSummary, toCallSeries, toTimes } from './series.ts'
import { type FetchActivity, useActivity } from './use-activity.ts'

/** @param fetchActivity has to stay the same function while it asks the same server */
export function ActivityView({ fetchActivity }: { fetchActivity: FetchActivity }) {
  const [isPaused, setPaused] = useState(false)
  const { history, problem } = useActivity(fetchActivity, isPaused)
  return (
    <div class="activity">
      <div class="row spread">
        <p class="hint">{WHOSE[history.scope]}</p>
        <button type="button" class="button button-small" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
      </div>
      {problem !== undefined && (
        <p class="notice notice-error" role="alert">
          <Visible text={problem} />
        </p>
      )}
      <Charts history={history} />
      <CallsTable calls={history.calls} />
    </div>
  )
}

const WHOSE: Readonly<Record<CallScope, string>> = {
  all: 'The calls of all callers to this process.',
  tenant: 'The calls of your tenant to this process. Those of all need the scope toolrack:observe:all.',
  own: 'Your own calls. Those of other callers need the scope toolrack:observe.',
}

function Charts({ history: { calls, stats } }: { history: History }) {
  const [tool, setTool] = useState('')
  const tools = useMemo(() => summarizeTools(calls), [calls])
  const nowMs = Date.parse(stats.at(-1)?.now ?? '') || Date.now()
  const all = useMemo(() => toCallSeries(calls, nowMs), [calls, nowMs])
  const chosen = tools.some(({ name }) => name === tool) ? tool : ''
  const latency = useMemo(() => {
    const ofTools = calls.filter(({ method, target }) => method === 'tools/call' && (!chosen || target === chosen))
    return toCallSeries(ofTools, nowMs)
  }, [calls, chosen, nowMs])
  return (
    <>
      <div class="charts">
        <Chart
          title="Calls in 5 s"
          kind="bars"
          format={formatCount}
          times={all.times}
          series={[
            { label: 'calls', colour: 1, values: all.calls },
            { label: 'errors', colour: 2, values: all.errors },
          ]}
        />
        <Chart
          title={chosen === '' ? 'Latency of tools' : `Latency of ${chosen}`}
          kind="lines"
          format={formatMs}
          times={latency.times}
          series={[
            { label: 'p50', colour: 1, values: latency.p50 },
            { label: 'p95', colour: 4, values: latency.p95 },
          ]}
        />
        {stats.at(-1)?.memoryBytes !== undefined && <Load stats={stats} />}
      </div>
      {tools.length > 0 && <Tools tools={tools} chosen={chosen} choose={setTool} />}
    </>
  )
}

function Load({ stats }: Pick<History, 'stats'>) {
  const times = toTimes(stats)
  return (
    <>
      <Chart
        title="Calls under way"
        kind="lines"
        format={formatCount}
        times={times}
        series={[
          { label: 'running', colour: 5, values: stats.map(({ underWay = null }) => underWay) },
          { label: 'queued', colour: 3, values: stats.map(({ queued = null }) => queued) },
        ]}
      />
      <Chart
        title="Memory"
        kind="lines"
        format={formatMemory}
        times={times}
        series={[
          { label: 'resident', colour: 6, values: stats.map(({ memoryBytes: bytes }) => (bytes ? bytes / MIB : null)) },
        ]}
      />
    </>
  )
}

const MAX_TOOLS = 20

interface ToolsProps {
  readonly tools: readonly ToolSummary[]
  readonly chosen: string
  choose(tool: string): void
}

/** Each tool with its figures; its button shows its latency in the chart. */
const Tools = ({ tools, chosen, choose }: ToolsProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
  <section class="scroll tools-summary" tabIndex={0} aria-label="Tools">
    <table>
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col" class="number">
            Calls
          </th>
          <th scope="col" class="number">
            Errors
          </th>
          <th scope="col" class="number">
            p50
          </th>
          <th scope="col" class="number">
            p95
          </th>
        </tr>
      </thead>
      <tbody>
        {tools.slice(0, MAX_TOOLS).map(({ name, calls, errors, p50, p95 }) => (
          <tr key={name}>
            <td>
              <button
                type="button"
                class="button button-small"
                aria-pressed={name === chosen}
                onClick={() => choose(name === chosen ? '' : name)}
              >
                <Visible text={name} />
              </button>
            </td>
            <td class="number">{calls}</td>
            <td class="number">{errors}</td>
            <td class="number">{formatMs(p50)}</td>
            <td class="number">{formatMs(p95)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const formatCount = (value: number | null) => (value === null ? '–' : Number.isInteger(value) ? String(value) : '')
const MIB = 2 ** 20
const formatMemory = (value: number | null) => (value === null ? '–' : `${Math.round(value)} MiB`)
