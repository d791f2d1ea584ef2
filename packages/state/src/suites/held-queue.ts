// A queue whose tasks run until a test lets them go.
import type { QueueBounds, QueueEntry, TaskQueue } from 'toolrack/state'
import type { Ending } from './check.ts'
import { eventually } from './wait.ts'

/** @returns an empty queue, which closes with the test */
export type MakeQueue = (t: Ending, bounds: QueueBounds) => TaskQueue | Promise<TaskQueue>

/** A queue whose tasks run until the test lets them go. */
export async function held(t: Ending, make: MakeQueue, bounds: QueueBounds) {
  const queue = await make(t, bounds)
  const begun: string[] = []
  const running = new Map<string, () => void>()
  queue.onTask(id => {
    begun.push(id)
    return new Promise<boolean>(resolve => {
      running.set(id, () => {
        running.delete(id)
        resolve(true)
      })
    })
  })
  const letGo = (id: string) => running.get(id)!()
  const letAllGo = async (count: number) => {
    while (begun.length < count || running.size > 0) {
      await eventually(() => running.size > 0, `one of ${count} runs; ${begun.length} did`)
      for (const id of [...running.keys()]) letGo(id)
    }
  }
  const runs = (...ids: string[]) => eventually(() => ids.every(id => running.has(id)), `${ids} run; begun: ${begun}`)
  t.teardown(() => {
    for (const id of [...running.keys()]) letGo(id)
  })
  return { queue, begun, running, letGo, letAllGo, runs }
}

export const turn = (id: string, clientKey = 'client', hasQuota = false): QueueEntry => ({
  id,
  run: 0,
  clientKey,
  hasQuota,
})
export const turns = (count: number, clientKey: string, hasShare = false): QueueEntry[] =>
  Array.from({ length: count }, (_, n) => turn(`${clientKey}${n + 1}`, clientKey, hasShare))

export async function addAll(queue: TaskQueue, all: readonly QueueEntry[]): Promise<void> {
  for (const each of all) await queue.add(each)
}
