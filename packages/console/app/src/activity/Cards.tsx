// Four figures, each with a small chart over time.
import type { ActivityStats, Figures } from '../../../src/activity/activity.ts'
import { formatBytes, formatDuration, formatNumber } from '../results/format.ts'
import { type Bars, toSpark } from './series.ts'

interface Props {
  readonly figures: Figures
  readonly stats: ActivityStats
  readonly bars: Bars
  readonly minutes: number
}

export function Cards({ figures: { sum }, stats, bars, minutes }: Props) {
  // A server that has just started has had less time.
  const spanMinutes = Math.max(1, Math.min(minutes, stats.uptimeS / 60))
  const perMinute = Math.round((sum.calls / spanMinutes) * 10) / 10
  const share = sum.calls === 0 ? 0 : (100 * sum.errors) / sum.calls
  return (
    <div class="stats stats-phone-2">
      <Card
        title="Calls"
        value={formatNumber(sum.calls)}
        more={`${formatNumber(perMinute)} a minute`}
        course={bars.calls}
      />
      <Card
        title="Errors"
        value={`${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)}%`}
        more={sum.errors === 1 ? '1 call' : `${formatNumber(sum.errors)} calls`}
        course={bars.errors}
        isDanger
      />
      <Card
        title="Latency of tools"
        value={formatTaken(sum.p50Ms)}
        more={`p50 · p95 ${formatTaken(sum.p95Ms)}`}
        course={bars.p50}
      />
      {stats.underWay !== undefined && (
        <Card
          title="Running now"
          value={formatNumber(stats.underWay)}
          more={`${formatNumber(stats.queued ?? 0)} wait · ${formatBytes(roundToMega(stats.memoryBytes ?? 0))}`}
          course={bars.running}
        />
      )}
    </div>
  )
}

const roundToMega = (bytes: number): number => Math.round(bytes / 1e6) * 1e6

const formatTaken = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms))

interface CardProps {
  readonly title: string
  readonly value: string
  readonly more: string
  readonly course: readonly (number | null)[]
  readonly isDanger?: boolean
}

function Card({ title, value, more, course, isDanger }: CardProps) {
  const { line, area } = toSpark(course)
  const kind = isDanger ? '-danger' : ''
  return (
    <section class="card stat" aria-label={title}>
      <h2>{title}</h2>
      <p class="value">
        {value}
        <small>{more}</small>
      </p>
      <svg class="spark" viewBox="0 0 280 32" preserveAspectRatio="none" aria-hidden="true">
        <path class={`c-area${kind}`} d={area} />
        <path class={`c-line${kind}`} d={line} />
      </svg>
    </section>
  )
}
