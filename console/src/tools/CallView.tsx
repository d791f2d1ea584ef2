// A call under way or ended: progress, log, result, raw messages.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { useEffect, useState } from 'preact/hooks'
import type { Call, LogEntry, Progress } from '../calls/call.ts'
import { CallMessages } from '../messages/CallMessages.tsx'
import { Visible } from '../results/PlainText.tsx'
import { ResultView } from '../results/ResultView.tsx'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { ProblemView } from '../shell/ProblemView.tsx'
import { TaskOfCall } from '../tasks/TaskCard.tsx'

const STATUS: Readonly<Record<Call['status'], { text: string; badge: string }>> = {
  running: { text: 'Under way', badge: 'badge' },
  done: { text: 'Done', badge: 'badge badge-ok' },
  failed: { text: 'Failed', badge: 'badge badge-error' },
  cancelled: { text: 'Cancelled', badge: 'badge badge-warning' },
  task: { text: 'A task', badge: 'badge' },
}

export function CallView({ call }: { call: Call }) {
  const { text, badge } = STATUS[call.status]
  const failed = call.status === 'done' && call.result?.['isError'] === true
  return (
    <section class="call panel" aria-label="Call">
      <div class="row">
        <h2>Result</h2>
        <span class={failed ? 'badge badge-error' : badge} role="status">
          {failed ? 'Tool error' : text}
        </span>
        <Elapsed call={call} />
      </div>
      {call.progress !== undefined && call.status === 'running' && <ProgressBar progress={call.progress} />}
      {call.problem !== undefined && <ProblemView problem={call.problem} />}
      {call.status === 'cancelled' && <p>You cancelled this call.</p>}
      {call.taskId !== undefined && <TaskOfCall taskId={call.taskId} />}
      {call.result !== undefined && (
        <ErrorBoundary key={call.id}>
          <ResultView result={call.result as CallToolResult} />
        </ErrorBoundary>
      )}
      {call.logs.length > 0 && <Log entries={call.logs} />}
      <details class="extras">
        <summary>Raw messages ({call.messages.length})</summary>
        <CallMessages messages={call.messages} />
      </details>
    </section>
  )
}

function Elapsed({ call: { startedAt, endedAt } }: { call: Call }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (endedAt !== undefined) return
    const timer = setInterval(() => setNow(Date.now()), 100)
    return () => clearInterval(timer)
  }, [endedAt])
  const ms = Math.max(0, (endedAt ?? now) - startedAt)
  return (
    <span class="hint elapsed">{ms < 1000 && endedAt !== undefined ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}</span>
  )
}

export function ProgressBar({ progress: { progress, total, message } }: { progress: Progress }) {
  const share = total !== undefined && total > 0 ? Math.round((100 * progress) / total) : undefined
  return (
    <div class="progress">
      <progress aria-label="Progress" max={total} value={total === undefined ? undefined : progress} />
      <span>
        {share === undefined ? `${progress}` : `${share}% (${progress} of ${total})`}{' '}
        {message !== undefined && <Visible text={message} />}
      </span>
    </div>
  )
}

const LEVELS: Readonly<Record<string, string>> = {
  warning: 'badge badge-warning',
  debug: 'badge',
  info: 'badge',
  notice: 'badge',
}

const Log = ({ entries }: { entries: readonly LogEntry[] }) => (
  <section aria-label="Log">
    <h3>Log</h3>
    <ol class="log" aria-live="polite">
      {entries.map(({ at, level, data }, index) => (
        <li key={index}>
          <time class="hint">{new Date(at).toISOString().slice(11, 23)}</time>
          <span class={LEVELS[level] ?? 'badge badge-error'}>{level}</span>
          <code>
            <Visible text={typeof data === 'string' ? data : (JSON.stringify(data) ?? '')} />
          </code>
        </li>
      ))}
    </ol>
  </section>
)
