// A call that has become a task: its progress, and where to find it.
import { Icon } from '../parts/Icon.tsx'
import { useConsole } from '../shell/context.ts'
import { toHash } from '../shell/router.ts'
import type { TaskEntry } from '../tasks/task-list.ts'
import { describeRunning } from '../tasks/task-state.ts'
import type { Call } from './call.ts'
import { ProgressCard } from './ProgressCard.tsx'

export function TaskProgress({ call, task }: { call: Call; task: TaskEntry | undefined }) {
  const { tasks } = useConsole()
  if (task === undefined) return <p class="muted">This page no longer follows the task.</p>
  return (
    <>
      <ProgressCard
        steps={call.progress ?? task.progress}
        lead={describeRunning(task)}
        onCancel={() => void tasks.cancel(task)}
      >
        Cancel task
      </ProgressCard>
      <p class="hint">
        You can leave this view. The task is also under{' '}
        <a href={toHash({ section: 'tasks', name: task.taskId })}>Tasks</a>.
      </p>
      <details>
        <summary>
          <Icon name="right" />
          <span class="muted">Details</span>
        </summary>
        <dl class="facts stack-4">
          <dt>Task</dt>
          <dd>
            <code>{task.taskId}</code>
          </dd>
        </dl>
      </details>
    </>
  )
}
