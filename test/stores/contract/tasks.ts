// What every TaskStore promises, wherever it keeps its tasks.
import type { Test } from 'tap'
import type { MemoryTaskBounds } from '../../../src/state/memory/tasks.ts'
import type { Task } from '../../../src/state/task.ts'
import type { TaskStore } from '../../../src/state/tasks.ts'
import { eventually } from '../../support/eventually.ts'
import { boundsContract } from './tasks-bounds.ts'
import { changesContract } from './tasks-changes.ts'
import { lifeContract } from './tasks-life.ts'
import { listContract } from './tasks-list.ts'

/** @returns an empty store, which closes with the test */
export type MakeTasks = (t: Test, bounds?: Omit<MemoryTaskBounds, 'now'>) => TaskStore | Promise<TaskStore>

export function tasksContract(t: Test, name: string, make: MakeTasks): void {
  lifeContract(t, name, make)
  changesContract(t, name, make)
  boundsContract(t, name, make)
  listContract(t, name, make)
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
