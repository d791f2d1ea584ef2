// How long something has taken, in tenths of a second until it ends.
import { useEffect, useState } from 'preact/hooks'
import { formatDuration } from '../results/format.ts'

const TICK_MS = 100

/** A screen reader announces the end, not each tenth of a second. */
export function Elapsed({ startedAt, endedAt }: { startedAt: number; endedAt: number | undefined }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (endedAt !== undefined) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [endedAt])
  const ms = Math.max(0, (endedAt ?? now) - startedAt)
  return endedAt === undefined ? (
    <span class="num" aria-live="off">
      {(ms / 1_000).toFixed(1)} s
    </span>
  ) : (
    <span class="num">{formatDuration(ms)}</span>
  )
}
