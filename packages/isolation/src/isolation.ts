// Creates the handlers of isolated tools: each call waits for a slot and runs in a child process.
import { availableParallelism } from 'node:os'
import type { CallState, ToolContext } from 'toolrack'
import { findRoot, type Isolate, listVariables, type ToolModule } from 'toolrack/definitions'
import {
  CallContext,
  Cancellation,
  getExchange,
  type Isolation,
  type IsolationParts,
  ignoreProgress,
  invalidResult,
  resultTooLarge,
  Semaphore,
  ToolFailure,
} from 'toolrack/execution'
import { fromPlainError, JsonCopier } from 'toolrack/isolation'
import { ChildEnded, callChild, MAX_START_MS, SlowStart, type Start } from './call.ts'
import { type Ending, MAX_HEAP_MB } from './child.ts'
import { findUndeclared } from './environment.ts'
import { type End, maxMessageLength, type Task } from './messages.ts'
import { findNamedModule } from './module.ts'
import { Pool } from './pool.ts'
import { fromSentFiles } from './sent-files.ts'

/** Each process runs one handler. At least two, so that a blocked one leaves room for another. */
export const MAX_PROCESSES = Math.max(2, availableParallelism())
/** Includes idle processes: tools with other variables cannot use them. */
export const MAX_KEPT_PROCESSES = 2 * MAX_PROCESSES
/** Runs that wait for a slot. */
const MAX_WAITING = 100

export interface IsolationOptions extends IsolationParts {
  /** How long a start may take, ms. */
  readonly maxStartMs?: number
}

interface Run {
  readonly name: string
  readonly module: ToolModule
  /** The variables that the tool declares. */
  readonly variables: readonly string[]
  readonly args: unknown
}

export class Processes implements Isolation {
  readonly #options: IsolationOptions
  readonly #slots = new Semaphore({ max: MAX_PROCESSES, maxQueued: MAX_WAITING })
  readonly #maxStartMs: number
  readonly #pool: Pool

  constructor(options: IsolationOptions) {
    this.#options = options
    this.#maxStartMs = options.maxStartMs ?? MAX_START_MS
    this.#pool = new Pool({
      maxMessageLength: maxMessageLength(options.maxResultBytes),
      maxProcesses: MAX_KEPT_PROCESSES,
      onFault: ({ source, error }) => options.reportUnhandledError(source, fromPlainError(error)),
    })
  }

  readonly isolate: Isolate = (definition, given) => {
    const module = given ?? findNamedModule(definition)
    const variables = listVariables(definition)
    const { name } = findRoot(definition)
    return {
      handler: (args, ctx) => this.#run({ name, module, variables, args }, ctx),
      undeclared: findUndeclared(String(definition.handler), variables),
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #run(run: Run, ctx: ToolContext): Promise<unknown> {
    const { clientKey, cancellation, onBegun } = getExchange(ctx)
    await this.#takeSlot(run.name, clientKey, ctx.signal)
    try {
      // Starting a process does not count towards the tool's deadline.
      cancellation.pauseDeadline()
      ctx.signal.throwIfAborted()
      const onReady = () => {
        cancellation.resumeDeadline()
        onBegun?.()
      }
      return this.#valueOf(run.name, await this.#inChild(run, ctx, { maxMs: this.#maxStartMs, onReady }))
    } finally {
      // Hooks continue even if the process has not started.
      cancellation.resumeDeadline()
      this.#slots.release(clientKey)
    }
  }

  async #inChild(run: Run, ctx: ToolContext, start: Start): Promise<End> {
    const child = this.#pool.take(run.module, run.variables)
    try {
      return await callChild(child, this.#taskOf(run, ctx), ctx, start)
    } catch (error) {
      throw this.#crash(run.name, ctx.signal, error)
    } finally {
      this.#pool.giveBack(child)
    }
  }

  async #takeSlot(name: string, clientKey: string, signal: AbortSignal): Promise<void> {
    const cancellation = new Cancellation()
    const cancel = () => cancellation.cancel('cancelled')
    signal.addEventListener('abort', cancel)
    const isTaken = await this.#slots.acquire(clientKey, cancellation)
    signal.removeEventListener('abort', cancel)
    if (isTaken) return
    signal.throwIfAborted()
    throw new ToolFailure('busy', `${name} is busy: all workers are, and their queue is full; retry in a few seconds`)
  }

  #taskOf({ name, module, args }: Run, ctx: ToolContext): Task {
    const { caller, capabilities, requestId, revision, meta, progress } = ctx
    return {
      tool: name,
      module,
      args,
      // Only these members: an app's caller may contain values that cannot be serialised.
      about: {
        caller: caller && {
          issuer: caller.issuer,
          subject: caller.subject,
          clientId: caller.clientId,
          scopes: [...caller.scopes],
          claims: caller.claims,
        },
        capabilities,
        requestId,
        revision,
        meta,
        state: copyState(name, CallContext.findState(ctx)),
      },
      kept: CallContext.findKept(ctx),
      hasListener: progress !== ignoreProgress,
      maxBytes: this.#options.maxResultBytes,
    }
  }

  #valueOf(name: string, end: End): unknown {
    if (end.kind === 'returned') return fromSentFiles(end.value)
    if (end.kind === 'threw') throw fromPlainError(end.error)
    throw end.reason === undefined
      ? resultTooLarge({ name }, this.#options.maxResultBytes)
      : invalidResult({ name }, end.reason, end.detail)
  }

  // Exit codes and signals are for the log; the model gets a plain text.
  #crash(tool: string, signal: AbortSignal, error: unknown): unknown {
    if (signal.aborted) return signal.reason
    if (error instanceof SlowStart)
      return new ToolFailure('timed_out', `${tool} timed out: its process did not start in ${this.#maxStartMs} ms`)
    if (!(error instanceof ChildEnded)) return error
    const { log, faults } = this.#options
    const fields = () => ({ tool, reason: error.ending.how })
    faults.log(log, 'warn', { text: 'worker ended before its tool', name: tool, fields })
    return new ToolFailure('tool_error', `${tool} ${textOf(error.ending)}`)
  }
}

/** Largest `ctx.state` that is sent to a process, bytes of JSON. */
const MAX_STATE_BYTES = 1024 * 1024

/** @throws TypeError naming the value that cannot be sent to the process */
function copyState(tool: string, state: CallState | undefined): CallState {
  if (state === undefined) return {}
  try {
    return new JsonCopier({ maxBytes: MAX_STATE_BYTES, tally: undefined }).copy(state) as CallState
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TypeError(`ctx.state: ${tool} is isolated, and its process gets only JSON: ${reason}`)
  }
}

function textOf({ hasStarted, isOutOfMemory }: Ending): string {
  if (!hasStarted) return 'could not start the process that it runs in'
  return isOutOfMemory ? `used more than ${MAX_HEAP_MB} MiB of memory` : 'ended the process that it ran in'
}
