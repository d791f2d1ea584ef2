// One task in the list: tool, arguments, bar, message and time, with Cancel or Answer.
import { Elapsed } from '../calls/Elapsed.tsx'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { CodeText } from '../results/Markdown.tsx'
import { useConsole } from '../shell/context.ts'
import { toHash } from '../shell/router.ts'
import { hasEnded, type TaskEntry } from './task-list.ts'
import { describeArguments, describeTask, findBadge } from './task-state.ts'

export function TaskItem({ task, isCurrent }: { task: TaskEntry; isCurrent: boolean }) {
  const { calls } = useConsole()
  const steps = useStore(calls.calls).find(({ id }) => id === task.callId)?.progress ?? task.progress
  const { taskId, tool, call, status, endedAt } = task
  const badge = findBadge(task)
  return (
    <li class={isCurrent ? 'task is-current' : 'task'}>
      <div class="task-top">
        <a href={toHash({ section: 'tasks', name: taskId })} aria-current={isCurrent ? 'true' : undefined}>
          <Visible text={tool} />
        </a>
        <span class="faint cut grow mono">
          <Visible text={describeArguments(call.args)} />
        </span>
        {badge !== undefined && <span class={badge.class}>{badge.word}</span>}
        <Action task={task} />
      </div>
      {steps !== undefined && (!hasEnded(task) || status === 'cancelled') && (
        <progress
          class={status === 'cancelled' ? 'progress progress-stop' : 'progress'}
          aria-label={`Progress of ${tool}`}
          max={steps.total}
          value={steps.total === undefined ? undefined : steps.progress}
        />
      )}
      <div class="row spread muted num">
        <span class="cut">
          <CodeText text={describeTask(task, steps)} />
        </span>
        <Elapsed startedAt={call.startedAt} endedAt={endedAt} />
      </div>
    </li>
  )
}

function Action({ task }: { task: TaskEntry }) {
  const { tasks, connection } = useConsole()
  const isAsked = useStore(connection.questions.open).some(({ callId }) => callId === task.callId)
  if (hasEnded(task)) return null
  if (isAsked) {
    return (
      <button type="button" class="button button-s" onClick={() => connection.questions.bringForward(task.callId)}>
        Answer
      </button>
    )
  }
  return (
    <button type="button" class="button button-s" onClick={() => void tasks.cancel(task)}>
      <Icon name="stop" />
      Cancel
    </button>
  )
}
