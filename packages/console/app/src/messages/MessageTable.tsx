// The table of messages, the newest first. A row opens its detail; arrows move between rows.
import { memo } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatBytes, formatClock, formatDuration, formatNumber } from '../results/format.ts'
import { toHash } from '../shell/router.ts'
import type { MessageRow } from './rows.ts'

export const MessageTable = ({ rows, chosen }: { rows: readonly MessageRow[]; chosen: number | undefined }) => (
  <table class="grid message-grid" onKeyDown={moveByKey}>
    <thead>
      <tr>
        <th scope="col">Time</th>
        <th scope="col">
          <span class="vh">Direction</span>
        </th>
        <th scope="col">Method</th>
        <th scope="col">Name</th>
        <th scope="col">Status</th>
        <th scope="col" class="n hide-phone">
          Took
        </th>
        <th scope="col" class="n hide-narrow-pane">
          Size
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <Row key={row.key} row={row} isCurrent={row.key === chosen} />
      ))}
    </tbody>
  </table>
)

interface RowProps {
  readonly row: MessageRow
  readonly isCurrent: boolean
}

const Row = memo(
  ({
    row: { key, at, direction, method, name, status, isError, tookMs, isOpen, bytes, times },
    isCurrent,
  }: RowProps) => (
    <tr class={isCurrent ? 'is-current' : undefined} onClick={() => open(key)}>
      <td class="num muted">
        {formatClock(at)}
        <span class="hide-narrow-pane">.{String(at % 1_000).padStart(3, '0')}</span>
      </td>
      <td>
        <Way direction={direction} />
      </td>
      <td class="mono">
        <a
          class="plain-link"
          href={toHash({ section: 'messages', name: String(key) })}
          aria-current={isCurrent ? 'true' : undefined}
        >
          <Visible text={method} />
        </a>
      </td>
      <td class="wide muted">
        {times > 1 && (
          <>
            <span class="badge">{formatNumber(times)} times</span>{' '}
          </>
        )}
        {name !== undefined && <Visible text={name} />}
      </td>
      <td>
        <Status status={status} isError={isError} />
      </td>
      <td class="n hide-phone">{tookMs !== undefined ? formatDuration(tookMs) : isOpen && <Since at={at} />}</td>
      <td class="n muted hide-narrow-pane">{formatBytes(bytes)}</td>
    </tr>
  ),
  isSameRow,
)

/** Rows are created for each frame, and most have not changed. */
function isSameRow(before: RowProps, after: RowProps): boolean {
  const [a, b] = [before.row, after.row]
  return (
    before.isCurrent === after.isCurrent &&
    a.times === b.times &&
    a.name === b.name &&
    a.status === b.status &&
    a.tookMs === b.tookMs &&
    a.bytes === b.bytes
  )
}

const open = (key: number): void => {
  window.location.hash = toHash({ section: 'messages', name: String(key) })
}

const WAYS = { sent: 'to the server', received: 'from the server' } as const

const Way = ({ direction }: Pick<MessageRow, 'direction'>) => (
  <span class={direction === 'sent' ? 'way way-out' : 'way way-in'} title={WAYS[direction]}>
    <Icon name="up" />
    <span class="vh">{WAYS[direction]}</span>
  </span>
)

const Status = ({ status, isError }: Pick<MessageRow, 'status' | 'isError'>) => {
  if (status === undefined) return <span class="faint">–</span>
  return <span class={isError ? 'danger-text' : undefined}>{status}</span>
}

/** How long something has been open, by whole seconds. */
function Since({ at }: { at: number }) {
  const [now, tick] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <>{formatDuration(Math.max(1_000, Math.floor((now - at) / 1_000) * 1_000))}</>
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function moveByKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody a')]
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
