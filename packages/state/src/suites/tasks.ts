// Rules of every TaskStore, wherever it keeps its tasks.
import type { Task, TaskStore, UsageBounds } from 'toolrack/state'
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

/** The changes that a store reports, in order. */
export function listenTo(store: TaskStore) {
  const heard: { id: string; task: Task | undefined }[] = []
  store.onChange((id, task) => void heard.push({ id, task }))
  const of = (id: string) => heard.filter(each => each.id === id).map(({ task }) => task?.version ?? 'gone')
  return {
    heard,
    /** The reported versions of one task. */
    of,
    until: (id: string, last: number | 'gone') =>
      eventually(() => of(id).includes(last), `listeners learn of version ${last} of ${id}; so far of ${of(id)}`),
  }
}
