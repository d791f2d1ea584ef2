// Clients that begin tasks and follow them to their end, whatever happens to the servers meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { persist, TASKS, type Wire } from './wire.ts'

/** A task that a client was told of. */
export interface Acknowledged {
  readonly taskId: string
  readonly tool: string
  readonly entry: string
  /** What it was when it was last seen; `lost` where the servers do not know it. */
  status: string
  /** Why it failed. */
  reason?: string
}

const ENDED = ['completed', 'failed', 'cancelled', 'lost']
const LOOK_MS = 250

export const hasEnded = ({ status }: Acknowledged): boolean => ENDED.includes(status)

/** Each attempt has an entry of its own: whether one that was cut off was done is not known. */
export async function begin(wire: Wire, tool: string, { entry, ms }: { entry: string; ms: number }) {
  let attempt = 0
  const { message } = await persist(
    () => wire.modern('tools/call', { name: tool, arguments: { entry: `${entry}.${++attempt}`, ms } }, TASKS),
    { mayBeRefused: true },
  )
  const { taskId, status } = message.result ?? {}
  if (typeof taskId !== 'string') throw new Error(`no task: ${JSON.stringify(message)}`)
  const task: Acknowledged = { taskId, tool, entry: `${entry}.${attempt}`, status }
  return task
}

export async function look(wire: Wire, task: Acknowledged): Promise<void> {
  const { message } = await persist(() => wire.modern('tasks/get', { taskId: task.taskId }, TASKS), {
    mayBeRefused: true,
  })
  if (message.error !== undefined) {
    task.status = 'lost'
    task.reason = message.error.message
    return
  }
  task.status = message.result.status
  task.reason = message.result.error?.message
}

/** @param limitMs how long it may take from now */
export async function follow(wire: Wire, task: Acknowledged, limitMs: number): Promise<void> {
  for (const endMs = performance.now() + limitMs; !hasEnded(task) && performance.now() < endMs; await sleep(LOOK_MS))
    await look(wire, task)
}
