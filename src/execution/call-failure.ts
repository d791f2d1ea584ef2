// The answers to calls that fail.
import { createMissingCapabilityText } from '../input/missing-capability.ts'
import type { Questions } from '../input/questions.ts'
import { TooManyRoundsError } from '../input/rounds.ts'
import { NotAwaited } from '../input/watch.ts'
import { McpError } from '../protocol/errors.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { ToolError } from '../registry/content.ts'
import type { OutcomeFacts, OutcomeKind } from '../request/outcome.ts'
import type { Call } from './call.ts'
import { errorText, isToolError } from './error-text.ts'
import type { CallExecutor } from './executor.ts'
import type { Mask } from './mask.ts'
import { failureResult, ToolFailure } from './tool-failure.ts'

/** The answer to a call that failed. */
export interface Failed {
  readonly kind: OutcomeKind
  readonly result: CallToolResult
  readonly facts?: OutcomeFacts | undefined
  /** The handler asks before it acts, so the idempotency key of the call stays unused. */
  readonly hasDoneNothing?: true
}

/**
 * Tells the model which capabilities the client lacks. Undefined if the revision has an error for that.
 */
export function explainUnaskable({ executor, tool, exchange }: Call, questions: Questions): Failed | undefined {
  const { revision, cancellation } = exchange
  const missing = questions.missingCapabilities
  if (missing === undefined || revision.refusesMissingCapabilities || cancellation.reason !== undefined)
    return undefined
  // With the questions that the tool's author wrote.
  const text = executor.errorLog.toText(new ToolError(createMissingCapabilityText(tool.name, missing)))
  return { kind: 'tool_error', result: failureResult(text), hasDoneNothing: true }
}

/** Turns a thrown value of a handler into a failure. @throws McpError as `toFailure` does */
export function toHandlerFailure(call: Call, thrown: unknown): Failed {
  const isKnown = thrown instanceof ToolFailure || thrown instanceof McpError
  return toFailure(call, isKnown ? thrown : toToolFailure(call, thrown))
}

/**
 * @throws errors that are not failures of a tool: McpErrors, and bugs of the server; an McpError for
 *   invalid arguments, too, if the revision refuses them by an error
 */
export function toFailure(call: Call, error: unknown): Failed {
  if (error instanceof TooManyRoundsError) return toHandlerFailure(call, error)
  if (!(error instanceof ToolFailure)) throw error
  const { executor, tool, exchange } = call
  const failure = maskFailure(error, executor.mask)
  if (failure.kind === 'invalid_arguments' && exchange.revision.refusesInvalidArguments) throw invalidParams(failure)
  if (failure.kind === 'invalid_output' || failure.kind === 'timed_out') {
    const { requestId, log } = exchange
    const { kind, message, detail: reason = message } = failure
    const fields = () => ({ tool: tool.name, requestId, kind, reason })
    executor.errorLog.log(log, 'warn', { text: 'tool failed', name: `${tool.name} ${kind}`, fields })
  }
  const text = (explains(executor) ? failure.detail : undefined) ?? failure.message
  return { kind: failure.kind, result: failureResult(text), facts: failure.facts }
}

/** Whether the client belongs to a developer, who needs to know the reason. */
export const explains = ({ rules, errorLog }: Pick<CallExecutor, 'rules' | 'errorLog'>): boolean =>
  rules.errorMessages === 'all' && errorLog.isForPeople

// The text on an invalid result names its keys, which may contain secrets, too.
function maskFailure(failure: ToolFailure, mask: Mask): ToolFailure {
  const { kind, detail } = failure
  if (kind !== 'invalid_output') return failure
  return new ToolFailure(kind, errorText(failure, mask), { detail: detail && errorText(detail, mask) })
}

// For revisions before 2025-11-25: a short message, and the whole text in `data`.
const invalidParams = ({ message, brief }: ToolFailure): McpError =>
  new McpError('INVALID_ARGUMENTS', brief, { data: { reason: message } })

function toToolFailure({ executor, tool, exchange }: Call, thrown: unknown): ToolFailure {
  const reason = executor.errorLog.toText(thrown)
  const isShown = executor.rules.errorMessages === 'all' || isToolError(thrown) || thrown instanceof NotAwaited
  const { requestId, log } = exchange
  const fields = () => ({ tool: tool.name, requestId, reason, ...executor.errorLog.describeOrigin(log, thrown) })
  executor.errorLog.logThrown(log, thrown, { text: 'tool threw', name: tool.name, fields })
  const text = isShown ? executor.errorLog.toText(thrown, explains(executor)) : `Tool failed (ref ${requestId})`
  return new ToolFailure('tool_error', text)
}
