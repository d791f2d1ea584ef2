// What the client of a call gets instead of a result.
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

/** What the client of a failed call gets. */
export interface Failed {
  readonly kind: OutcomeKind
  readonly result: CallToolResult
  readonly facts?: OutcomeFacts | undefined
  /** A handler asks before it acts: the idempotency key of the call is not used up. */
  readonly hasDoneNothing?: true
}

/** If the revision does not refuse missing capabilities by an error, the model gets a text that it can act on. */
export function explainUnaskable({ executor, tool, exchange }: Call, questions: Questions): Failed | undefined {
  const { revision, cancellation } = exchange
  const missing = questions.missingCapabilities
  if (missing === undefined || revision.refusesMissingCapabilities || cancellation.reason !== undefined)
    return undefined
  // With the questions of the tool's author.
  const text = executor.errorLog.toText(new ToolError(createMissingCapabilityText(tool.name, missing)))
  return { kind: 'tool_error', result: failureResult(text), hasDoneNothing: true }
}

/** Of what a handler has thrown. @throws McpError as `toFailure` does */
export function toHandlerFailure(call: Call, thrown: unknown): Failed {
  const isKnown = thrown instanceof ToolFailure || thrown instanceof McpError
  return toFailure(call, isKnown ? thrown : toToolFailure(call, thrown))
}

/**
 * @throws what is no failure of a tool: McpErrors, and bugs of the server; an McpError also for
 *   invalid arguments, if the revision refuses them by one
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

/** Whether the client is a developer's own, who has to know why. */
export const explains = ({ rules, errorLog }: Pick<CallExecutor, 'rules' | 'errorLog'>): boolean =>
  rules.errorMessages === 'all' && errorLog.isForPeople

// An invalid result is described by its keys, which may contain secrets too.
function maskFailure(failure: ToolFailure, mask: Mask): ToolFailure {
  const { kind, detail } = failure
  if (kind !== 'invalid_output') return failure
  return new ToolFailure(kind, errorText(failure, mask), { detail: detail && errorText(detail, mask) })
}

// For revisions before 2025-11-25: a short message, with the whole text in `data`.
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
