// Runs a task until it ends or asks questions; once they are answered, its handler runs again from
// the start. Aborts a run that its task no longer needs.
import { setImmediate as nextCheck, setTimeout as nextTimer } from 'node:timers/promises'
import type { Access } from '../auth/access.ts'
import type { CallExecutor, Executor } from '../execution/executor.ts'
import type { Audit } from '../observability/audit.ts'
import type { RequestEvents } from '../observability/request-ended.ts'
import { toErrorEnding } from '../observability/request-ended.ts'
import type { Tracing } from '../observability/tracing.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Tool } from '../registry/tool.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { Exchange, Log } from '../request/exchange.ts'
import type { Inflight } from '../request/inflight.ts'
import { hasEnded, type Job, type Task, type TaskStep } from '../state/task.ts'
import type { RunTask } from '../state/task-queue.ts'
import { toLogged } from '../text/logged-error.ts'
import { createInterruptedError, createTaskExchange, toErrorOutcome } from './create.ts'
import { emitTaskEnded, keepOutcome, settleRun, traceRun, whenHandedOut } from './settle.ts'
import { StatusLog } from './status-log.ts'
import { StatusProgress } from './status-progress.ts'
import type { TaskService } from './tasks.ts'
import {
  ifCurrentRun,
  toBegun,
  toFailed,
  toReleased,
  toStartedByTurn,
  withLog,
  withStatusMessage,
} from './transitions.ts'

/** Aborts a run whose task is cancelled, has expired, or is run by another process. */
export class RunWatch {
  /** True once the run has ended; a run that has ended is not aborted. */
  isOver = false
  #isSuperseded = false
  #isHandedOut: boolean
  readonly #unwatch: () => void
  #expiry: NodeJS.Timeout

  constructor(
    tasks: TaskService,
    { id, run: runTask, isHandedOut, createdAtMs, ttlMs }: Task,
    cancellation: Cancellation,
  ) {
    this.#isHandedOut = isHandedOut
    const abort = () => {
      if (!this.isOver) cancellation.cancel('cancelled')
    }
    this.#unwatch = tasks.watch(id, now => {
      if (now !== undefined && now.run !== runTask) this.#isSuperseded = true
      if (now?.isHandedOut) this.#isHandedOut = true
      if (now === undefined || hasEnded(now) || now.run !== runTask) abort()
    })
    // Timers may fire early by the clock of the store, which would then keep a cancelled outcome.
    const leftMs = () => createdAtMs + ttlMs - Date.now()
    const expire = () => {
      if (leftMs() > 0) this.#expiry = setTimeout(expire, leftMs()).unref()
      else abort()
    }
    this.#expiry = setTimeout(expire, Math.max(0, leftMs())).unref()
  }

  /** True once a later run has started; reports of this run are then ignored. */
  get isSuperseded(): boolean {
    return this.#isSuperseded
  }

  /** True once the client knows of the task; it stays true if the task is removed. */
  get isHandedOut(): boolean {
    return this.#isHandedOut
  }

  stop(): void {
    this.#unwatch()
    clearTimeout(this.#expiry)
  }
}

export interface RunnerParts {
  readonly events: RequestEvents
  readonly audit: Pick<Audit, 'isReady'>
  readonly log: Log
  readonly tasks: TaskService
  readonly catalog: Catalog
  readonly access: Access
  readonly executor: Executor
  readonly inflight: Inflight
  readonly tracing: Tracing | undefined
  /** Changes the exchange of each run; only in tests. */
  readonly listen?: ((exchange: Exchange) => Exchange) | undefined
}

export type StartedTask = Task & { readonly job: Job }

/** @returns the function that the queue calls */
export function taskRunner(parts: RunnerParts): RunTask {
  const { tasks, catalog, inflight, audit, log, executor } = parts
  const first = createTaskExecutor(executor, 'first')
  const again = createTaskExecutor(executor, 'again')

  return async (id, lease) => {
    inflight.begin()
    try {
      // The queue may hand out one more entry after it was paused.
      if (tasks.isStopping && !tasks.endsWithProcess) return false
      // The audit could not record its end, so the task waits.
      if (!audit.isReady) return false
      const task = await tasks.read(id)
      if (task?.job === undefined || task.status !== 'working') return true
      const turn = lease?.run ?? task.turn
      // Left over from a process that died after it had released the task.
      if (task.isRunning && turn !== task.turn) return true
      const tool = catalog.tools.find(task.tool)
      if (tool === undefined ? mayBeServedElsewhere(tasks, task) : executor.admission.isCrowded(tool, task.clientKey))
        return false
      const started = await startRun(parts, task as StartedTask, { tool, turn })
      if (started === undefined) return true
      return await runTask(parts, task.rounds + task.run === 0 ? first : again, {
        task: started,
        tool,
        lost: lease?.lost,
      })
    } catch (error) {
      log.error({ err: toLogged(error) }, 'a task could not be run; it is tried again')
      return false
    } finally {
      inflight.end()
    }
  }
}

/** How long a task waits for a replica that has its tool, as in a rolling deployment, ms. */
const TOOL_WAIT_MS = 30_000

const mayBeServedElsewhere = ({ endsWithProcess }: TaskService, { updatedAtMs }: Task) =>
  !endsWithProcess && Date.now() < updatedAtMs + TOOL_WAIT_MS

/** Maximum runs of one task, so that a task that crashes its process does not do so forever. */
const MAX_RUNS = 20

interface RunStart {
  readonly tool: Tool | undefined
  readonly turn: number
}

// The queue gives a task to one process at a time. So if an earlier run has not ended, its process
// is gone.
async function startRun(
  parts: RunnerParts,
  task: StartedTask,
  { tool, turn }: RunStart,
): Promise<StartedTask | undefined> {
  const { tasks } = parts
  if (!task.isRunning || (tool?.isIdempotent === true && task.run < MAX_RUNS))
    return (await tasks.change(task.id, ifCurrentRun(task.run, toStartedByTurn(turn)))) as StartedTask | undefined
  const ended = await tasks.change(
    task.id,
    ifCurrentRun(task.run, toFailed(toErrorOutcome(createInterruptedError()), createInterruptedError().message)),
  )
  if (ended !== undefined) reportInterrupted(parts, task)
  return undefined
}

function reportInterrupted(parts: RunnerParts, task: StartedTask): void {
  const cancellation = parts.inflight.createCancellation()
  const exchange = createTaskExchange(task, { cancellation, progress: undefined, log: parts.log })
  const ending = toErrorEnding(createInterruptedError(), undefined)
  emitTaskEnded(parts.events, { task, exchange, ending, startedMs: performance.now() })
}

// The queue has admitted the task, and the tool's own rate limit counts the task once.
function createTaskExecutor(executor: Executor, time: 'first' | 'again'): CallExecutor {
  const { admission } = executor
  return {
    ...executor,
    admission: {
      admit: (tool, exchange) =>
        time === 'first' ? admission.admitTask(tool, exchange) : admission.readmitTask(tool, exchange),
      readmit: (tool, exchange) => admission.readmitTask(tool, exchange),
      countAbandoned: (tool, exchange, change) => admission.countAbandoned(tool, exchange, change),
    },
  }
}

interface TaskRun {
  readonly task: StartedTask
  readonly tool: Tool | undefined
  readonly lost: AbortSignal | undefined
}

/** @returns false if the task is to be queued again later */
async function runTask(parts: RunnerParts, executor: CallExecutor, { task, tool, lost }: TaskRun): Promise<boolean> {
  const { tasks, inflight, access, tracing, log, listen } = parts
  const startedMs = performance.now()
  const cancellation = inflight.createCancellation()
  const watch = new RunWatch(tasks, task, cancellation)
  const isRepeatable = tool?.isIdempotent === true && !tasks.endsWithProcess
  // A run that must not be repeated continues: if it ends before another process takes the task,
  // its outcome counts.
  if (isRepeatable) lost?.addEventListener('abort', () => cancellation.cancel('shutdown'))
  const progress = new StatusProgress((message, reached) => void tell(parts, task, withStatusMessage(message, reached)))
  const logged = new StatusLog((entries, before) => tell(parts, task, withLog(entries, before)))
  try {
    const opened = createTaskExchange(task, { cancellation, progress, log, onLog: entry => logged.add(entry) })
    const exchange = listen === undefined ? opened : listen(opened)
    const told = recordFirstTurn(tasks, task, watch)
    const { step, ending } = await traceRun(tracing, { task, tool, exchange }, each =>
      settleRun(access, executor, each),
    )
    watch.isOver = true
    await told
    if (watch.isSuperseded) return true
    if (cancellation.reason === 'shutdown' && isRepeatable) {
      if (lost?.aborted) return false
      await releaseRun(tasks, task)
      return true
    }
    await logged.flush()
    await keepOutcome(parts, task, step)
    const known = { id: task.id, wasHandedOut: () => watch.isHandedOut }
    if (ending !== undefined)
      await whenHandedOut(tasks, known, () => emitTaskEnded(parts.events, { task, exchange, ending, startedMs }))
    return true
  } finally {
    watch.stop()
    progress.close()
    logged.close()
  }
}

/**
 * Stores what a run reports before its end. If a report cannot be stored, it is lost, and the run
 * continues.
 */
async function tell({ tasks, log }: RunnerParts, { id, run: runTask }: StartedTask, step: TaskStep): Promise<void> {
  await tasks.change(id, ifCurrentRun(runTask, step)).catch(error => {
    log.warn({ err: toLogged(error) }, 'task status was not stored')
  })
}

// A call with `inlineMs` 0 waits only for the first turn of its handler, and for its questions.
async function recordFirstTurn(
  tasks: TaskService,
  { id, run: runTask, isHandedOut }: Task,
  watch: RunWatch,
): Promise<void> {
  if (isHandedOut || tasks.rules.inlineMs > 0) return
  // Waits for whichever phase of the event loop comes first: after a slow turn, the handler's timers
  // run before `setImmediate`.
  await Promise.race([nextCheck(), nextTimer(0)])
  if (!watch.isOver) await tasks.change(id, ifCurrentRun(runTask, toBegun)).catch(() => {})
}

async function releaseRun(tasks: TaskService, { id, run: runTask }: Task): Promise<void> {
  const released = await tasks.change(id, ifCurrentRun(runTask, toReleased))
  if (released !== undefined) await tasks.resume(released)
}
