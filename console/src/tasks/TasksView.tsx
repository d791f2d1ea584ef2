// The tasks of this page.
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { TaskCard } from './TaskCard.tsx'

export function TasksView() {
  const { tasks } = useConsole()
  const list = useStore(tasks.tasks)
  return (
    <>
      <Heading>Tasks</Heading>
      {list.length === 0 && (
        <p class="hint">No tasks yet. A call becomes a task if its tool runs long: the server then answers at once.</p>
      )}
      {list.toReversed().map(task => (
        <div key={task.taskId} class="panel">
          <TaskCard task={task} />
        </div>
      ))}
    </>
  )
}
