// The log entries of a call, the newest at the end. The list scrolls along, unless the user has
// scrolled up.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Visible } from '../parts/Visible.tsx'
import { formatNumber, formatTime } from '../results/format.ts'
import type { LogEntry } from './call.ts'

const RED = ['error', 'critical', 'alert', 'emergency']
const MAX_ENTRY = 5_000
/** Pixels from the end at which it still counts as the end. */
const NEAR = 24

interface Props {
  readonly entries: readonly LogEntry[]
  /** Number of entries so far. */
  readonly count: number
}

export function LogList({ entries, count }: Props) {
  const list = useRef<HTMLOListElement>(null)
  useFollow(list, count)
  const dropped = count - entries.length
  return (
    <>
      {dropped > 0 && (
        <p class="hint">
          The newest {formatNumber(entries.length)} of {formatNumber(count)}
        </p>
      )}
      <ol class="log" aria-live="polite" aria-relevant="additions" ref={list}>
        {entries.map(({ at, level, data }, index) => (
          <li key={dropped + index}>
            <time>{formatTime(at)}</time>
            <span class={`level ${toClass(level)}`}>
              <Visible text={level} />
            </span>
            <span>
              <Visible text={toText(data)} />
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}

const toClass = (level: string) => (level === 'warning' ? 'is-warning' : RED.includes(level) ? 'is-error' : '')

function toText(data: unknown): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return text.length > MAX_ENTRY ? `${text.slice(0, MAX_ENTRY)}…` : text
}

/** Keeps the end of the scrolling box in sight, if it was in sight before. */
function useFollow(list: { readonly current: HTMLElement | null }, count: number): void {
  const wasAtEnd = useRef(true)
  useLayoutEffect(() => {
    const box = list.current?.closest('.pane-scroll')
    if (!box) return
    const note = () => {
      wasAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
    }
    box.addEventListener('scroll', note, { passive: true })
    return () => box.removeEventListener('scroll', note)
  }, [list])
  useLayoutEffect(() => {
    const box = list.current?.closest('.pane-scroll')
    if (box && wasAtEnd.current) box.scrollTop = box.scrollHeight
  }, [count])
}
