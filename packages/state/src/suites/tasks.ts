// What every TaskStore promises, wherever it keeps its tasks.
import { type Task, type TaskStore, type UsageBounds } from 'toolrack/state'
import type { Ending, Suite } from './check.ts'
import { boundsSuite } from './tasks-bounds.ts'
import { changesSuite } from './tasks-changes.ts'
import { lifeSuite } from './tasks-life.ts'
import { listSuite } from './tasks-list.ts'
import { eventually } from './wait.ts'

/** @returns an empty store, which closes with the test */
export type MakeTasks = (t: Ending, bounds?: Partial<UsageBounds>) => TaskStore | Promise<TaskStore>

export function tasksSuite(t: Suite, name: string, make: MakeTasks, { isBounded = true } = {}): void {
  lifeSuite(t, name, make)
  changesSuite(t, name, make)
  if (isBounded) boundsSuite(t, name, make)
  listSuite(t, name, make)
}

/** What a store tells, in the order in which it does. */
export function listenTo(store: TaskStore) {
  const heard: { id: string; task: Task | undefined }[] = []
  store.onChange((id, task) => void heard.push({ id, task }))
  const of = (id: string) => heard.filter(each => each.id === id).map(({ task }) => task?.version ?? 'gone')
  return {
    heard,
    /** Of one task the versions that were told. */
    of,
    until: (id: string, last: number | 'gone') =>
      eventually(() => of(id).includes(last), `${last} of ${id} is told; told was ${of(id)}`),
  }
}
