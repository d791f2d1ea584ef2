// Turns one run of a task's handler into the step that the task takes: its end, or questions.
// Stores that step, and reports the end to logs, metrics and traces.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Access } from '../auth/access.ts'
import { type CallOutcome, execute } from '../execution/execute.ts'
import type { CallExecutor } from '../execution/executor.ts'
import { failureResult } from '../execution/tool-failure.ts'
import { MAX_ROUNDS, TooManyRoundsError } from '../input/rounds.ts'
import type { RequestEvents } from '../observability/request-ended.ts'
import { type Ending, toEnding, toErrorEnding } from '../observability/request-ended.ts'
import type { Tracing } from '../observability/tracing.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange, Log } from '../request/exchange.ts'
import type { Task, TaskStep } from '../state/task.ts'
import { toLogged, toReason } from '../text/logged-error.ts'
import { cutText } from '../text/one-line.ts'
import { createInterruptedError, mapValues, toErrorOutcome, toTaskAnswer } from './create.ts'
import type { TaskService } from './tasks.ts'
import { ifCurrentRun, toCompleted, toFailed, toInputRequired } from './transitions.ts'

export interface RunContext {
  readonly task: Task
  /** Undefined if no tool has this name any more. */
  readonly tool: Tool | undefined
  readonly exchange: Exchange
}

export interface RunResult {
  readonly step: TaskStep
  /** Undefined if the task has not ended. */
  readonly ending: Ending | undefined
  /** The error that refused the run. */
  readonly error?: unknown
}

/** Never throws: an error is an outcome of the task. */
export async function settleRun(access: Access, executor: CallExecutor, settling: RunContext): Promise<RunResult> {
  const { task, exchange } = settling
  const { cancellation, requestId, log } = exchange
  try {
    const outcome = await execute(executor, requireTool(access, settling), exchange)
    if (outcome.kind === 'input_required') return { step: toQuestionStep(task, outcome), ending: undefined }
    const { kind, result } = outcome
    if (kind === 'cancelled' && cancellation.reason === 'shutdown') throw createInterruptedError()
    const statusMessage = result.isError === true ? findFailureText(task.tool, result) : undefined
    const ending = toEnding(kind, result.isError === true, cancellation.reason)
    return { step: toCompleted({ kind, result }, statusMessage), ending }
  } catch (error) {
    if (!(error instanceof McpError)) log.error({ err: toLogged(error), requestId }, 'internal error')
    const outcome = toErrorOutcome(error)
    return { step: toFailed(outcome, outcome.error.message), ending: toErrorEnding(error, cancellation.reason), error }
  }
}

// Checked in each run: the caller's scopes and the tools may have changed since the call.
function requireTool(access: Access, { task, tool, exchange }: RunContext): Tool {
  const isServed = tool !== undefined && access.isTaskVisible(exchange, task)
  if (!isServed || tool.task === 'forbidden') throw new McpError('UNKNOWN_TOOL', task.tool)
  access.assertMay(exchange.caller, tool)
  return tool
}

function toQuestionStep({ rounds }: Task, { questions }: Extract<CallOutcome, { kind: 'input_required' }>): TaskStep {
  const { open, used } = questions
  if (rounds < MAX_ROUNDS) return toInputRequired(open, mapValues(used, toTaskAnswer))
  const text = `The tool ${new TooManyRoundsError().message}`
  return toCompleted({ kind: 'tool_error', result: failureResult(text) }, text)
}

const MAX_STATUS = 1000

// Every failure has a text, also if the tool's content starts with an image or is empty.
function findFailureText(tool: string, { content }: { readonly content: readonly object[] }): string {
  const texts = content.map(block => (isObject(block) && block['type'] === 'text' ? String(block['text']) : ''))
  return cutText(texts.find(text => text.trim() !== '') ?? `${tool} failed without a message`, MAX_STATUS)
}

export interface KeepOutcomeParts {
  readonly tasks: TaskService
  readonly log: Log
}

const MAX_PAUSE_MS = 2000
/** Attempts while the server shuts down. */
const MAX_SHUTDOWN_TRIES = 5

// Retries, so that an outcome is not lost if the store is unavailable for a moment.
export async function keepOutcome(
  { tasks, log }: KeepOutcomeParts,
  { id, run, tool, createdAtMs, ttlMs }: Task,
  step: TaskStep,
): Promise<void> {
  let kept = step
  for (let tries = 1; Date.now() < createdAtMs + ttlMs; tries++) {
    try {
      await tasks.change(id, ifCurrentRun(run, kept))
      return
    } catch (error) {
      log.warn({ reason: toReason(error), tries }, 'a task outcome is not stored yet; retrying')
      if (tasks.isStopping && tries >= MAX_SHUTDOWN_TRIES) return
      if (error instanceof McpError && error.reason === 'RATE_LIMITED') kept = toTooLargeStep(tool)
      else await sleep(Math.min(MAX_PAUSE_MS, 50 * 2 ** tries))
    }
  }
}

function toTooLargeStep(tool: string): TaskStep {
  const text = `The result of ${tool} could not be stored: the tasks of this client hold too much`
  return toCompleted({ kind: 'limited', result: failureResult(text) }, text)
}

/** How much longer than `inlineMs` a call may take to be handed out after it has ended, ms. */
const HAND_OUT_GRACE_MS = 5000

interface HandedOutCheck {
  readonly id: string
  /** True if the run has seen that the client knows of the task, which may be gone by now. */
  wasHandedOut(): boolean
}

// Reports only tasks that the client knows of: a call that ended within its request is reported
// with that request.
export async function whenHandedOut(
  tasks: TaskService,
  { id, wasHandedOut }: HandedOutCheck,
  report: () => void,
): Promise<void> {
  let isKnown = false
  const look = (task: Task | undefined) => {
    if (isKnown || task?.isHandedOut === false) return
    isKnown = true
    stop()
    clearTimeout(timer)
    if (task !== undefined || wasHandedOut()) report()
  }
  const stop = tasks.watch(id, look)
  const timer = setTimeout(stop, tasks.rules.inlineMs + HAND_OUT_GRACE_MS).unref()
  look(await tasks.read(id))
}

type SettleRun = (settling: RunContext) => Promise<RunResult>

/**
 * Traces a run as a span, in the trace of the request that created the task.
 *
 * @param tracing undefined if tracing is off
 */
export async function traceRun(
  tracing: Tracing | undefined,
  settling: RunContext,
  settleRun: SettleRun,
): Promise<RunResult> {
  if (tracing === undefined) return settleRun(settling)
  const startedMs = performance.now()
  const span = tracing.startTaskRun(settling.exchange, settling.task.tool)
  const settled = await span.within(() => settleRun({ ...settling, exchange: span.exchange }))
  const { ending = { outcome: 'input_required' as const }, error } = settled
  span.end({ ending, error, durationMs: performance.now() - startedMs })
  return settled
}

interface TaskEnded {
  readonly task: Task
  readonly exchange: Exchange
  readonly ending: Ending
  readonly startedMs: number
}

export function emitTaskEnded(events: RequestEvents, { task, exchange, ending, startedMs }: TaskEnded): void {
  const { requestId, caller, clientKey, headers, door, method, params, revision, log } = exchange
  events.emit({
    source: 'task',
    requestId,
    caller,
    clientKey,
    headers,
    door,
    revision: door === undefined ? revision.version : undefined,
    method,
    params,
    target: { kind: 'tool', name: params['name'], arguments: params['arguments'] },
    labels: { method, revision: revision.version, tool: task.tool },
    taskId: task.id,
    ending,
    durationMs: performance.now() - startedMs,
    requestBytes: undefined,
    responseJson: undefined,
    log,
  })
}
