// Reads the answers of a client. `null` in place of an optional member counts as absent. The content
// of a form counts only if it was accepted. Spec 2026-07-28: client/elicitation, client/sampling,
// client/roots.

import { type Issue, locate } from '@toolrack/json-schema/issues'
import { createIssueFinder } from '@toolrack/json-schema/validator'
import { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { CreateMessageResult, ElicitResult, ListRootsResult } from '../protocol/schemas/results.ts'
import type { InputRequest } from './capabilities.ts'
import { getFormValidator } from './form.ts'
import { findContentIssue } from './sampling.ts'

export type ReadAnswer =
  | { readonly value: JsonObject }
  /** The fault, and whether another attempt may succeed: a user can fill in a form again. */
  | { readonly fault: string; readonly mayImprove: boolean }

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

export const isAction = (value: unknown): value is ElicitResult['action'] => ACTIONS.includes(value)

/** An answer to an elicitation, as a client has sent it. */
interface ElicitAnswer extends JsonObject {
  readonly action?: unknown
  readonly content?: unknown
  /** Whether fields that the form lacks are refused. */
  readonly isExact?: unknown
}

const WHOLE: readonly string[] = ['action', 'content', '_meta']

/**
 * Reads the answer of a client without MCP: `true` or `false`, an action, an ElicitResult, or the
 * fields of a form, which accept it. It is exact: a refusal in unknown words must not look like
 * fields.
 *
 * @returns undefined if it is none of these
 */
export function toElicitAnswer(written: unknown): ElicitAnswer | undefined {
  if (typeof written === 'boolean') return { action: written ? 'accept' : 'decline' }
  if (isAction(written)) return { action: written }
  if (!isObject(written)) return undefined
  if (!isElicitResult(written)) return { action: 'accept', content: written, isExact: true }
  const { action, content = null } = written
  if (content === null) return { action }
  return { action, content, isExact: Object.keys(content as object).length > 0 }
}

/** Whether it has the form of an ElicitResult; otherwise its members are fields. */
export function isElicitResult(written: JsonObject): boolean {
  const { action, content = null } = written
  const isWhole = isAction(action) && Object.keys(written).every(name => WHOLE.includes(name))
  return isWhole && (content === null || isObject(content))
}

/**
 * Refuses a value that cannot be an answer. Spec 2026-07-28: basic/patterns/mrtr, "Error Handling".
 *
 * @throws McpError INVALID_PARAMS (-32602)
 */
export function assertAnswer(key: string, answer: unknown): asserts answer is JsonObject {
  if (!isObject(answer))
    throw new McpError('INVALID_PARAMS', `inputResponses[${JSON.stringify(key)}] must be an object`)
}

/** @param keys of open questions; other answers are ignored @throws McpError INVALID_PARAMS (-32602) */
export function assertAnswers(keys: readonly string[], answers: JsonObject): void {
  for (const key of keys) if (Object.hasOwn(answers, key)) assertAnswer(key, answers[key])
}

export function readAnswer({ method, params = {} }: InputRequest, answer: unknown): ReadAnswer {
  if (!isObject(answer)) return toFault('it must be an object')
  const given = omitNulls(answer)
  switch (method) {
    case 'elicitation/create':
      return readElicited(params, given)
    case 'sampling/createMessage':
      return readSampled(given)
    case 'roots/list':
      return readRoots(given)
  }
}

const toFault = (fault: string, mayImprove = false): ReadAnswer => ({ fault, mayImprove })

const findElicitResultIssue = createIssueFinder(ElicitResult)
const findSampleResultIssue = createIssueFinder(CreateMessageResult)
const findRootsIssue = createIssueFinder(ListRootsResult)

function readElicited(params: JsonObject, { content, isExact, ...answer }: ElicitAnswer): ReadAnswer {
  const { action } = answer
  if (!isAction(action)) return toFault(`action must be one of ${ACTIONS.join(', ')}`)
  if (action !== 'accept') return { value: answer }
  if (params['mode'] === 'url')
    return isExact === true && content !== undefined ? toFault('a page has no fields', true) : { value: answer }
  if (content !== undefined && !isObject(content)) return toFault('content must be an object')
  const fields = content && omitNulls(content)
  const accepted = fields === undefined ? answer : { ...answer, content: fields }
  const [issue] = findFieldIssues(params['requestedSchema'] as JsonObject, content, { isExact: isExact === true })
  const fault = issue === undefined ? findElicitResultIssue(accepted, 'result') : `${issue.path} ${issue.expected}`
  return fault === undefined ? { value: accepted } : toFault(fault, true)
}

/**
 * Finds issues in the fields of an accepted form.
 *
 * @param content undefined if the client has sent none, as for a form without required fields
 */
export function findFieldIssues(
  schema: JsonObject,
  content: JsonObject = {},
  { isExact, limit = 1 }: { readonly isExact: boolean; readonly limit?: number },
): Issue[] {
  const fields = schema['properties'] as JsonObject
  const unknown = isExact ? Object.keys(content).filter(name => !Object.hasOwn(fields, name)) : []
  const issues = unknown.map(name => ({ ...locate([name]), expected: 'is not a field of the form' }))
  return [...issues, ...getFormValidator(schema).issues(omitNulls(content), limit)].slice(0, limit)
}

function readSampled(answer: JsonObject): ReadAnswer {
  const { content } = answer
  const value = { ...answer, content: Array.isArray(content) ? content.map(toBlock) : toBlock(content) }
  const fault = findSampleResultIssue(value, 'result') ?? findContentIssue(value.content, 'result.content')
  return fault === undefined ? { value } : toFault(fault)
}

function toBlock(block: unknown): unknown {
  if (!isObject(block)) return block
  const { annotations } = block
  return omitNulls(isObject(annotations) ? { ...block, annotations: omitNulls(annotations) } : block)
}

function readRoots(answer: JsonObject): ReadAnswer {
  const { roots } = answer
  const value = { ...answer, roots: Array.isArray(roots) ? roots.map(toRoot) : roots }
  const fault = findRootsIssue(value, 'result')
  return fault === undefined ? { value } : toFault(fault)
}

const toRoot = (root: unknown) => (isObject(root) ? omitNulls(root) : root)

/** Returns the same object if it has no `null`. */
function omitNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  const left = entries.filter(([, member]) => member !== null)
  return left.length === entries.length ? object : Object.fromEntries(left)
}
