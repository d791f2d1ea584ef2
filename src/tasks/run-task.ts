// Runs a task as far as it goes: to its end, or to questions of its tool, with whose answers it runs again from the top.
import { setImmediate as nextCheck, setTimeout as nextTimer } from 'node:timers/promises'
import type { Access } from '../access/access.ts'
import { endingOfError } from '../audit/outcome.ts'
import type { CallExecutor, Executor } from '../execution/execute.ts'
import type { Inflight } from '../inflight.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Tool } from '../registry/tool.ts'
import type { RunTask } from '../state/tasks.ts'
import type { Job, Task } from '../task.ts'
import { begin, fail, ofRun, release, say, startBy } from '../task-steps.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { keep, whenHandedOut } from './keep-outcome.ts'
import { errorOutcome, interrupted } from './outcome.ts'
import { type ReportParts, reportTask } from './report-task.ts'
import { settle } from './settle-task.ts'
import { StatusProgress } from './status-progress.ts'
import { exchangeOf } from './task-exchange.ts'
import type { Tasks } from './tasks.ts'
import { traceRun } from './trace-run.ts'
import { Watch } from './watch.ts'

export interface RunnerParts extends ReportParts {
  readonly tasks: Tasks
  readonly catalog: Catalog
  readonly access: Access
  readonly executor: Executor
  readonly inflight: Inflight
  readonly tracing: Tracing | undefined
}

export type Started = Task & { readonly job: Job }

/** @returns what the queue runs */
export function taskRunner(parts: RunnerParts): RunTask {
  const { tasks, catalog, inflight, log, executor } = parts
  const first = executorOf(executor, 'first')
  const again = executorOf(executor, 'again')

  return async (id, lease) => {
    inflight.begin()
    try {
      // The queue may hand out one more behind its pause.
      if (tasks.isStopping && !tasks.endsWithProcess) return false
      const task = await tasks.read(id)
      if (task?.job === undefined || task.status !== 'working') return true
      const turn = lease?.run ?? task.turn
      // Left over from a process that went down when it had given the task back.
      if (task.isRunning && turn !== task.turn) return true
      const tool = catalog.tools.find(task.tool)
      if (tool === undefined ? mayBeElsewhere(tasks, task) : executor.admission.isCrowded(tool, task.clientKey))
        return false
      const started = await startOf(parts, task as Started, { tool, turn })
      if (started === undefined) return true
      return await run(parts, task.rounds + task.run === 0 ? first : again, { task: started, tool, lost: lease?.lost })
    } catch (error) {
      log.error({ err: error }, 'a task could not be run; it is tried again')
      return false
    } finally {
      inflight.end()
    }
  }
}

/** How long a task waits for a replica that serves its tool, as in a rolling deployment, ms. */
const FOR_ITS_TOOL_MS = 30_000

const mayBeElsewhere = ({ endsWithProcess }: Tasks, { updatedAtMs }: Task) =>
  !endsWithProcess && Date.now() < updatedAtMs + FOR_ITS_TOOL_MS

/** Runs of one task, so that one which ends its process each time does not end all of them for ever. */
const MAX_RUNS = 20

interface Turning {
  readonly tool: Tool | undefined
  readonly turn: number
}

// The queue gives a task to one at a time: where a run has begun and not ended, its process is gone.
async function startOf(parts: RunnerParts, task: Started, { tool, turn }: Turning): Promise<Started | undefined> {
  const { tasks } = parts
  if (!task.isRunning || (tool?.isIdempotent === true && task.run < MAX_RUNS))
    return (await tasks.change(task.id, ofRun(task.run, startBy(turn)))) as Started | undefined
  const ended = await tasks.change(task.id, ofRun(task.run, fail(errorOutcome(interrupted()), interrupted().message)))
  if (ended !== undefined) reportInterrupted(parts, task)
  return undefined
}

function reportInterrupted(parts: RunnerParts, task: Started): void {
  const cancellation = parts.inflight.cancellation()
  const exchange = exchangeOf(task, { cancellation, progress: undefined, log: parts.log })
  const ending = endingOfError(interrupted(), undefined)
  reportTask(parts, { task, exchange, ending, startedMs: performance.now() })
}

// The queue has let it in, and the tool's own rate counts it once.
function executorOf(executor: Executor, time: 'first' | 'again'): CallExecutor {
  const { admission } = executor
  return {
    ...executor,
    admission: {
      admit: (tool, exchange) =>
        time === 'first' ? admission.admitTask(tool, exchange) : admission.readmitTask(tool, exchange),
      readmit: (tool, exchange) => admission.readmitTask(tool, exchange),
      stray: (tool, exchange, change) => admission.stray(tool, exchange, change),
    },
  }
}

interface Running {
  readonly task: Started
  readonly tool: Tool | undefined
  readonly lost: AbortSignal | undefined
}

/** @returns false where it has to come again later */
async function run(parts: RunnerParts, executor: CallExecutor, { task, tool, lost }: Running): Promise<boolean> {
  const { tasks, inflight, access, tracing, log } = parts
  const startedMs = performance.now()
  const cancellation = inflight.cancellation()
  const watch = new Watch(tasks, task, cancellation)
  const isRepeatable = tool?.isIdempotent === true && !tasks.endsWithProcess
  // What must not run again goes on: if it ends before anybody has looked, its end counts.
  if (isRepeatable) lost?.addEventListener('abort', () => cancellation.cancel('shutdown'))
  const progress = progressTo(parts, task)
  try {
    const exchange = exchangeOf(task, { cancellation, progress, log })
    const told = tellBegun(tasks, task, watch)
    const { step, ending } = await traceRun(tracing, { task, tool, exchange }, each => settle(access, executor, each))
    watch.isOver = true
    await told
    if (watch.isSuperseded) return true
    if (cancellation.reason === 'shutdown' && isRepeatable) {
      if (lost?.aborted) return false
      await breakOff(tasks, task)
      return true
    }
    await keep(parts, task, step)
    const known = { id: task.id, wasHandedOut: () => watch.isHandedOut }
    if (ending !== undefined)
      await whenHandedOut(tasks, known, () => reportTask(parts, { task, exchange, ending, startedMs }))
    return true
  } finally {
    watch.stop()
    progress.close()
  }
}

function progressTo({ tasks, log }: RunnerParts, { id, run, session, job }: Started): StatusProgress {
  const isToldOn = session !== undefined && job.meta.progressToken !== undefined
  return new StatusProgress((message, progress) => {
    const step = ofRun(run, say(message, isToldOn ? progress : undefined))
    tasks.change(id, step).catch(error => log.warn({ err: error }, 'status not kept'))
  })
}

// Where a call waits for nothing else, it waits for the first turn of its handler: to be asked what is asked first.
async function tellBegun(tasks: Tasks, { id, run, isHandedOut }: Task, watch: Watch): Promise<void> {
  if (isHandedOut || tasks.rules.inlineMs > 0) return
  // Whichever the loop comes to first: in a slow turn the timers of the handler are due before its check.
  await Promise.race([nextCheck(), nextTimer(0)])
  if (!watch.isOver) await tasks.change(id, ofRun(run, begin)).catch(() => {})
}

async function breakOff(tasks: Tasks, { id, run }: Task): Promise<void> {
  const released = await tasks.change(id, ofRun(run, release))
  if (released !== undefined) await tasks.resume(released)
}
