// One run in a child process, as the server sees it. Sends the task, handles the messages, and ends
// the run with the request, if necessary by killing the process.
import type { TokenRequest, ToolContext } from 'toolrack'
import { ToolError } from 'toolrack/execution'
import { toPlainError } from 'toolrack/isolation'
import type { Child, Ending } from './child.ts'
import type { End, Question, Said, Task, ToChild } from './messages.ts'

/** How long a handler may run after its signal has aborted, ms; then its process is killed. */
const GRACE_MS = 100

/**
 * How long a process may take to start and to load the tool's file, ms, in addition to the deadline.
 */
export const MAX_START_MS = 10_000

const MEMORY_CHECK_MS = 100

/** Thrown if the process ended before the handler. */
export class ChildEnded extends Error {
  override name = 'ChildEnded'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.how)
    this.ending = ending
  }
}

/** Thrown if the handler did not start in time. */
export class SlowStart extends Error {
  override name = 'SlowStart'
}

export interface Start {
  readonly maxMs: number
  /** Called when the handler starts. */
  onReady(): void
}

/** @throws ChildEnded, SlowStart */
export async function callChild(child: Child, task: Task, ctx: ToolContext, start: Start): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>()
  let [isSlow, isOver] = [false, false]
  let grace: NodeJS.Timeout | undefined
  const starting = setTimeout(() => {
    isSlow = true
    child.kill()
  }, start.maxMs)
  const memory = setInterval(() => child.checkMemory(), MEMORY_CHECK_MS)
  // The next run of the process must not receive messages of this run.
  const say = (message: ToChild) => {
    if (!isOver) child.send(message)
  }
  const abort = () => {
    say({ kind: 'abort', error: toPlainError(ctx.signal.reason) })
    grace = setTimeout(() => child.kill(), GRACE_MS)
  }
  child.use({
    onMessage: message => {
      if (message.kind === 'end') resolve(message.end)
      else if (message.kind === 'ready') {
        clearTimeout(starting)
        start.onReady()
      } else if (!isOver) hear(message, ctx, say)
    },
    onEnd: ending => reject(isSlow ? new SlowStart() : new ChildEnded(ending)),
  })
  ctx.signal.addEventListener('abort', abort)
  say({ kind: 'run', task })
  try {
    return await promise
  } finally {
    isOver = true
    clearTimeout(starting)
    clearTimeout(grace)
    clearInterval(memory)
    ctx.signal.removeEventListener('abort', abort)
  }
}

function hear(message: Said, ctx: ToolContext, say: (message: ToChild) => void): void {
  if (message.kind === 'progress') ctx.progress(message.progress, message.total, message.message)
  else if (message.kind === 'log') ctx.log[message.level](message.message, message.data)
  else if (message.kind === 'closeStream') ctx.closeStream()
  else void answer(message, ctx, say)
}

// The server keeps a call's questions: open ones are asked when the handler ends.
async function answer(
  { id, question, key, params }: Said & { kind: 'ask' },
  ctx: ToolContext,
  say: (message: ToChild) => void,
): Promise<void> {
  try {
    say({ kind: 'answer', id, answer: await findAsk(ctx, question)(key, params) })
  } catch (error) {
    say({ kind: 'refusal', id, error: toPlainError(error) })
  }
}

type Ask = (key: string, params: unknown) => Promise<unknown>

// The process of a tool has no token of its caller, so the server exchanges it. The server also seals.
function findAsk(ctx: ToolContext, question: Question): Ask {
  if (question === 'keep') return (name, value) => ctx.keep(name, () => value)
  if (question !== 'tokenFor') return ctx[question] as Ask
  const { caller } = ctx
  if (caller === undefined) throw new ToolError('tokenFor: the call has no caller')
  return (_key, request) => caller.tokenFor(request as TokenRequest)
}
