// The workers that isolated tools run in. Started by the first call that needs one, ended when they are idle; a
// server without such tools loads nothing for them.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { Piscina } from 'piscina'
import { Cancellation } from '../cancellation.ts'
import type { Log } from '../exchange.ts'
import { CallContext, ignoreProgress } from '../execution/context.ts'
import { ToolFailure } from '../execution/failure.ts'
import type { FaultLog } from '../execution/fault-log.ts'
import { isFaultSource, type LateFaultReport } from '../execution/late-faults.ts'
import { invalid } from '../execution/normalise.ts'
import { tooLarge } from '../execution/sanitise.ts'
import { Slots } from '../execution/slots.ts'
import { isObject } from '../protocol/messages.ts'
import type { ToolContext } from '../registry/context.ts'
import type { Isolate } from '../registry/isolate.ts'
import type { ToolModule } from '../registry/module-hook.ts'
import { callWorker, MAX_START_MS, OutOfMemory, SlowStart } from './call-worker.ts'
import { fromPlainError } from './plain-error.ts'
import { HEAP_LIMIT_MB, MAX_MEMORY_MB } from './watch-memory.ts'
import type { End, LateFault, Task } from './wire.ts'

/** One handler each; two at least, so that one that does not stop leaves room for another. */
export const MAX_THREADS = Math.max(2, availableParallelism())
/** Runs that wait for a thread. */
const MAX_WAITING = 100
const IDLE_MS = 30_000

export interface IsolationOptions {
  readonly log: Log
  readonly maxResultBytes: number
  readonly reportLateFault: LateFaultReport
  readonly faults: FaultLog
  /** How long a start may take. */
  readonly maxStartMs?: number
}

interface Run {
  readonly name: string
  readonly module: ToolModule
  readonly args: unknown
}

export class Isolation {
  readonly #options: IsolationOptions
  // Not the pool's own queue: piscina starts no thread for what waits when the thread before it was ended.
  readonly #slots = new Slots({ max: MAX_THREADS, maxQueued: MAX_WAITING })
  readonly #maxStartMs: number
  #pool: Promise<Piscina<Task, End>> | undefined

  constructor(options: IsolationOptions) {
    this.#options = options
    this.#maxStartMs = options.maxStartMs ?? MAX_START_MS
  }

  /** Makes the handler of a tool that runs in a worker. */
  readonly isolate: Isolate = (name, module) => (args, ctx) => this.#run({ name, module, args }, ctx)

  /** Ends all threads, whatever they are doing. */
  async close(): Promise<void> {
    await (await this.#pool)?.destroy()
  }

  async #run(run: Run, ctx: ToolContext): Promise<unknown> {
    const { clientKey, cancellation } = CallContext.exchange(ctx)
    await this.#takeSlot(run.name, clientKey, ctx.signal)
    try {
      // The start of a thread is no work of the tool, and may take longer than that.
      cancellation.pauseDeadline()
      const start = { maxMs: this.#maxStartMs, onReady: () => cancellation.resumeDeadline() }
      const pool = await (this.#pool ??= this.#open())
      ctx.signal.throwIfAborted()
      const end = await callWorker(pool, this.#taskOf(run, ctx), ctx, start).catch(this.#crash(run.name, ctx.signal))
      return this.#valueOf(run.name, end)
    } finally {
      this.#slots.release(clientKey)
    }
  }

  async #takeSlot(name: string, clientKey: string, signal: AbortSignal): Promise<void> {
    const cancellation = new Cancellation()
    const cancel = () => cancellation.cancel('cancelled')
    signal.addEventListener('abort', cancel)
    const isTaken = await this.#slots.take(clientKey, cancellation)
    signal.removeEventListener('abort', cancel)
    if (isTaken) return
    signal.throwIfAborted()
    throw new ToolFailure('busy', `${name} is busy: all workers are, and their queue is full; retry in a few seconds`)
  }

  #taskOf(
    { name, module, args }: Run,
    { caller, capabilities, requestId, revision, meta, progress }: ToolContext,
  ): Omit<Task, 'port'> {
    return {
      tool: name,
      module,
      args,
      // An app may have put more into it than can be copied.
      about: {
        caller: caller && {
          issuer: caller.issuer,
          subject: caller.subject,
          clientId: caller.clientId,
          scopes: [...caller.scopes],
        },
        capabilities,
        requestId,
        revision,
        meta,
      },
      hasListener: progress !== ignoreProgress,
      maxBytes: this.#options.maxResultBytes,
    }
  }

  #valueOf(name: string, end: End): unknown {
    if (end.kind === 'returned') return end.value
    if (end.kind === 'threw') throw fromPlainError(end.error)
    throw end.reason === undefined ? tooLarge({ name }, this.#options.maxResultBytes) : invalid({ name }, end.reason)
  }

  // The thread is gone; what it said of that, such as an exit code, means nothing to a model.
  readonly #crash = (tool: string, signal: AbortSignal) => (error: Error & { code?: string }) => {
    signal.throwIfAborted()
    if (error instanceof SlowStart)
      throw new ToolFailure('timed_out', `${tool} timed out: its thread did not start in ${this.#maxStartMs} ms`)
    const isMemory = error instanceof OutOfMemory || error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const what = isMemory ? `used more than ${MAX_MEMORY_MB} MiB of memory` : 'ended the thread that it ran in'
    const { log, faults } = this.#options
    const fields = () => ({ tool, reason: error.message || what })
    faults.tell(log, 'warn', { text: 'worker ended before its tool', name: tool, fields })
    throw new ToolFailure('tool_error', `${tool} ${what}`)
  }

  async #open(): Promise<Piscina<Task, End>> {
    const { Piscina } = await import('piscina')
    // V8 leaves the check for interrupts out of some endless loops that it could unroll, such as one that fills arrays;
    // their threads could neither be ended nor measured. For the whole process: V8 has no flags of one thread.
    setFlagsFromString('--no-turboshaft-loop-unrolling')
    const pool = new Piscina<Task, End>({
      filename: fileURLToPath(workerUrl()),
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      // Else a thread stands still between two runs, and what a handler left behind with it.
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    })
    pool.on('message', message => this.#hearLateFault(message))
    pool.on('error', error => this.#options.log.error({ reason: error.message }, 'worker failed'))
    return pool
  }

  // Tools can post to the same port.
  #hearLateFault(message: unknown): void {
    if (!isObject(message) || !isFaultSource(message['source']) || !isObject(message['error'])) return
    const { source, error } = message as unknown as LateFault
    this.#options.reportLateFault(source, fromPlainError(error))
  }
}

// As the source has it, and as the build does: this module is then in a file beside the package's entry.
function workerUrl(): URL {
  const here = import.meta.url
  return new URL(here.endsWith('.ts') ? './worker.ts' : './isolation/worker.js', here)
}
