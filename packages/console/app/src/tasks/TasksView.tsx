// The tasks of this tab: the progress of each, and the result of one.
import { useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Scroll } from '../parts/Scroll.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { formatNumber } from '../results/format.ts'
import { useConsole } from '../shell/context.ts'
import { PhoneBack } from '../shell/PhoneNav.tsx'
import { Work } from '../shell/Work.tsx'
import { TaskDetail } from './TaskDetail.tsx'
import { TaskItem } from './TaskItem.tsx'
import { MAX_TASKS } from './task-list.ts'
import { filterTasks, type Which } from './task-state.ts'

const WHICH = [
  ['all', 'All'],
  ['running', 'Running'],
  ['ended', 'Ended'],
] as const

/** @param name the id of the task with the open detail; default: the newest */
export function TasksView({ name }: { name?: string | undefined }) {
  const { tasks } = useConsole()
  const all = useStore(tasks.tasks)
  const [which, choose] = useState<Which>('all')
  const found = filterTasks(all, which).toReversed()
  const chosen = all.find(({ taskId }) => taskId === name) ?? (name === undefined ? found[0] : undefined)
  return (
    <Work label="Tasks" title="Tasks" layout="split" pane={name === undefined ? 'list' : 'result'}>
      <PhoneBack section="tasks" title="Tasks" />
      <section class="pane pane-list" aria-label="Tasks of this tab">
        <header class="view-head">
          <h2 class="view-title cut">Tasks</h2>
          <span class="count" role="status">
            {found.length === all.length ? formatNumber(all.length) : `${found.length} of ${all.length}`}
          </span>
          <div class="end">
            <Segmented label="Which" choices={WHICH} value={which} onChange={each => choose(each)} />
          </div>
        </header>
        <Scroll label="Tasks">
          {found.length > 0 && (
            <ul>
              {found.map(task => (
                <TaskItem key={task.taskId} task={task} isCurrent={task === chosen} />
              ))}
            </ul>
          )}
          {found.length === 0 && <NoTasks hasOthers={all.length > 0} />}
        </Scroll>
        <p class="hints">
          <span>This tab follows its own tasks until they end, at most {MAX_TASKS}.</span>
        </p>
      </section>
      <TaskDetail key={chosen?.taskId} task={chosen} wanted={name} />
    </Work>
  )
}

const NoTasks = ({ hasOthers }: { hasOthers: boolean }) => (
  <div class="empty">
    <strong>{hasOthers ? 'No such task' : 'No tasks yet'}</strong>
    {!hasOthers && <p>Turn on As a task, and call. Tools that run long become tasks by themselves.</p>}
  </div>
)
