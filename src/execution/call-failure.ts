// What the client of a call gets instead of a result.
import { createMissingCapabilityText } from '../input/missing-capability.ts'
import { NotAwaited } from '../input/watch.ts'
import { McpError } from '../protocol/errors.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { ToolError } from '../registry/content.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import type { FailureFacts, OutcomeKind } from '../request/outcome.ts'
import type { Call } from './call.ts'
import { errorText, isToolError } from './error-text.ts'
import type { CallExecutor } from './executor.ts'
import type { Mask } from './mask.ts'
import { failureResult, ToolFailure } from './tool-failure.ts'

interface Failed {
  readonly kind: OutcomeKind
  readonly result: CallToolResult
  readonly facts?: FailureFacts | undefined
  /** A handler asks before it acts: the idempotency key of the call is not used up. */
  readonly hasDoneNothing?: true
}

// If the revision does not reject missing capabilities, the model gets a text that it can act on.
export function explainUnaskable({ executor, tool, exchange, context }: Call, error: unknown): Failed | undefined {
  const asked = context?.questions?.missingCapabilities
  if (asked === undefined || exchange.revision.refusesMissingCapabilities) return undefined
  if (!(error instanceof McpError) || error.reason !== 'MISSING_CAPABILITY') return undefined
  // With the questions of the tool's author.
  const text = executor.errorLog.toText(new ToolError(createMissingCapabilityText(tool.name, asked)))
  return { kind: 'tool_error', result: failureResult(text), hasDoneNothing: true }
}

/** @throws McpError if the error is one, or if the revision refuses invalid arguments by one */
export function toFailure({ executor, tool, exchange }: Call, error: unknown): Failed {
  if (error instanceof McpError) throw error
  const failure =
    error instanceof ToolFailure ? maskFailure(error, executor.mask) : toToolFailure(executor, tool, exchange, error)
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

// For revisions before 2025-11-25: a short message, with all issues in `data`.
export function invalidParams({ message }: ToolFailure): McpError {
  const [, faults = message] = message.split(/: (.*)/s)
  return new McpError('INVALID_ARGUMENTS', faults, { data: { reason: message } })
}

function toToolFailure(executor: CallExecutor, tool: Tool, exchange: Exchange, thrown: unknown): ToolFailure {
  const reason = executor.errorLog.toText(thrown)
  const isShown = executor.rules.errorMessages === 'all' || isToolError(thrown) || thrown instanceof NotAwaited
  const { requestId, log } = exchange
  const fields = () => ({ tool: tool.name, requestId, reason, ...executor.errorLog.describeOrigin(log, thrown) })
  executor.errorLog.logThrown(log, thrown, { text: 'tool threw', name: tool.name, fields })
  const text = isShown ? executor.errorLog.toText(thrown, explains(executor)) : `Tool failed (ref ${requestId})`
  return new ToolFailure('tool_error', text)
}
