// One run in a worker, seen from the server: the task goes out, what the handler says in between comes back, and the
// end of the request ends the run, if need be with its thread.
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import type { ToolContext } from '../registry/context.ts'
import { toPlainError } from './plain-error.ts'
import { watchMemory } from './watch-memory.ts'
import type { End, Task, ToServer, ToWorker } from './wire.ts'

/** How long a handler may go on once its signal has aborted, before its thread is ended. */
const GRACE_MS = 100

/** How long a thread may take to start and to load the file of a tool, whatever deadline the tool has. */
export const MAX_START_MS = 10_000

/** The part of a pool that is used here. */
export interface Threads {
  readonly threads: readonly Worker[]
  run(task: Task, options: { transferList: MessagePort[]; signal: AbortSignal }): Promise<End>
}

/** Thrown in place of what a run would have ended with, had its thread not used too much memory. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}

/** Thrown where the handler had not begun in time. */
export class SlowStart extends Error {
  override name = 'SlowStart'
}

export interface Start {
  readonly maxMs: number
  /** The handler begins. */
  onReady(): void
}

/** @throws OutOfMemory, SlowStart, and what the pool throws where the thread has ended before the handler */
export async function callWorker(
  pool: Threads,
  task: Omit<Task, 'port'>,
  ctx: ToolContext,
  start: Start,
): Promise<End> {
  const { port1: port, port2 } = new MessageChannel()
  const thread = new AbortController()
  let grace: NodeJS.Timeout | undefined
  let unwatch: (() => void) | undefined
  let reason: OutOfMemory | SlowStart | undefined
  const end = (why: OutOfMemory | SlowStart) => thread.abort((reason = why))
  const starting = setTimeout(() => end(new SlowStart()), start.maxMs)
  const abort = () => {
    post(port, { kind: 'abort', error: toPlainError(ctx.signal.reason) })
    grace = setTimeout(() => thread.abort(), GRACE_MS)
  }
  const watch = (threadId: number) => {
    const worker = pool.threads.find(each => each.threadId === threadId)
    const onHigh = () => post(port, { kind: 'collect' })
    const onExcess = () => end(new OutOfMemory())
    unwatch = worker && watchMemory(worker, { onHigh, onExcess })
  }
  port.on('message', (message: ToServer) => {
    if (message.kind === 'started') watch(message.threadId)
    else if (message.kind === 'ready') {
      clearTimeout(starting)
      start.onReady()
    } else hear(message, ctx, port)
  })
  ctx.signal.addEventListener('abort', abort)
  try {
    return await pool.run({ ...task, port: port2 }, { transferList: [port2], signal: thread.signal })
  } catch (error) {
    throw reason ?? error
  } finally {
    unwatch?.()
    clearTimeout(starting)
    clearTimeout(grace)
    ctx.signal.removeEventListener('abort', abort)
    hearTheRest(port, ctx)
    port.close()
  }
}

function hear(message: ToServer, ctx: ToolContext, port: MessagePort): void {
  if (message.kind === 'progress') ctx.progress(message.progress, message.total, message.message)
  else if (message.kind === 'log') ctx.log[message.level](message.entry)
  else if (message.kind === 'closeStream') ctx.closeStream()
  else if (message.kind === 'ask') answer(message, ctx, port)
}

// The questions of a call are kept here: what is open when the handler ends is asked, as of any other tool.
function answer({ id, question, key, params }: ToServer & { kind: 'ask' }, ctx: ToolContext, port: MessagePort): void {
  const ask = ctx[question] as (key: string, params: unknown) => Promise<unknown>
  ask(key, params).then(
    answer => post(port, { kind: 'answer', id, answer }),
    error => post(port, { kind: 'refusal', id, error: toPlainError(error) }),
  )
}

// The end comes by another port, and may overtake what was said before.
function hearTheRest(port: MessagePort, ctx: ToolContext): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    hear(next.message as ToServer, ctx, port)
  }
}

const post = (port: MessagePort, message: ToWorker) => port.postMessage(message)
