// ToolFailure, and the check of a call's arguments.

import type { Issue } from '@toolrack/json-schema/validator'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import type { Tool } from '../registry/tool.ts'
import type { FailureKind, OutcomeFacts } from '../request/outcome.ts'
import { cleanLine } from '../text/clean.ts'
import { cutText } from '../text/one-line.ts'

interface ToolFailureOptions extends ErrorOptions {
  readonly facts?: OutcomeFacts | undefined
  readonly detail?: string | undefined
  readonly brief?: string | undefined
}

/**
 * Thrown by a step of a call; `execute` turns it into an outcome. The model reads its text
 * unchanged.
 */
export class ToolFailure extends Error {
  override name = 'ToolFailure'
  readonly kind: FailureKind
  readonly facts: OutcomeFacts | undefined
  /** A longer text, for the log and for developers. */
  readonly detail: string | undefined
  /** The text without the name of the tool, for an error of the protocol. */
  readonly brief: string

  constructor(kind: FailureKind, text: string, { facts, detail, brief = text, ...options }: ToolFailureOptions = {}) {
    super(text, options)
    this.kind = kind
    this.facts = facts
    this.detail = detail
    this.brief = brief
  }
}

export const failureResult = (text: string): CallToolResult => ({
  resultType: 'complete',
  content: [{ type: 'text', text }],
  isError: true,
})

export const MAX_ISSUES = 10
const MAX_TEXT = 1000

/**
 * Checks the arguments without coercion. Issues name paths, never values.
 * @throws ToolFailure `invalid_arguments` with the first ten issues
 */
export function validate(tool: Tool, args: unknown): void {
  if (tool.input.isValid(args)) return
  throw createArgumentFailure(tool.name, tool.input.issues(args, MAX_ISSUES))
}

export function createArgumentFailure(tool: string, issues: readonly Issue[]): ToolFailure {
  const faults = issues.map(({ path, expected }) => `${path} ${expected}`)
  // The paths may contain names that the client chose.
  return refuseArguments(tool, cutText(cleanLine(faults.join('; ')), MAX_TEXT), { issues })
}

/** @param text without the name of the tool */
export function refuseArguments(tool: string, text: string, facts?: OutcomeFacts): ToolFailure {
  const whole = cutText(`Invalid arguments for ${tool}: ${text}`, MAX_TEXT)
  return new ToolFailure('invalid_arguments', whole, { facts, brief: text })
}
