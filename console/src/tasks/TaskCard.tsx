// One task: its state, live; cancel; its result.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { ProgressCard } from '../calls/ProgressCard.tsx'
import { useStore } from '../client/use-store.ts'
import { Visible } from '../results/PlainText.tsx'
import { ResultView } from '../results/ResultView.tsx'
import { useConsole } from '../shell/context.ts'
import { ProblemView } from '../shell/ProblemView.tsx'
import { toHash } from '../shell/router.ts'
import { hasEnded, type TaskEntry } from './task-list.ts'

const BADGES: Readonly<Record<string, string>> = {
  completed: 'badge badge-ok',
  failed: 'badge badge-error',
  cancelled: 'badge badge-warning',
  input_required: 'badge badge-warning',
}

export function TaskCard({ task }: { task: TaskEntry }) {
  const { tasks, calls } = useConsole()
  useStore(calls.calls)
  const progress = calls.get(task.callId)?.progress
  return (
    <article class="task" aria-label={`Task of ${task.tool}`}>
      <p class="row">
        <a href={toHash({ section: 'tools', name: task.tool })} class="mono">
          <Visible text={task.tool} />
        </a>
        <span class={BADGES[task.status] ?? 'badge'} role="status">
          {task.status}
        </span>
        <code class="hint">{task.taskId}</code>
      </p>
      {task.statusMessage !== undefined && (
        <p>
          <Visible text={task.statusMessage} />
        </p>
      )}
      {!hasEnded(task) && (
        <ProgressCard steps={progress} lead={task.status} onCancel={() => void tasks.cancel(task)}>
          Cancel task
        </ProgressCard>
      )}
      {task.problem !== undefined && <ProblemView problem={task.problem} />}
      {task.result !== undefined && <ResultView result={task.result as CallToolResult} />}
    </article>
  )
}
