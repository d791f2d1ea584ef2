// The methods by name, and the targets and scopes that a request names in its headers. Each
// revision lists the methods that it has.
import type { Target } from '../observability/request-ended.ts'
import { decodeHeader, getHeader, type Headers } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import { findRevision, type Revision } from '../protocol/revisions/index.ts'
import { complete } from './completion.ts'
import { discover } from './discover.ts'
import { initialize, ping, setLevel } from './initialize.ts'
import type { Method, MethodTarget, Uses } from './method.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listResourceTemplates, readResource, subscribe, unsubscribe } from './resources.ts'
import { listen } from './subscriptions.ts'
import { cancelTask, getTask, listTasks, taskResult, updateTask } from './tasks.ts'
import { callTool, listTools } from './tools.ts'

export const METHODS: ReadonlyMap<string, Method> = new Map([
  ['server/discover', discover],
  ['initialize', initialize],
  ['ping', ping],
  ['tools/list', listTools],
  ['tools/call', callTool],
  ['resources/list', listResources],
  ['resources/templates/list', listResourceTemplates],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
  ['logging/setLevel', setLevel],
  ['subscriptions/listen', listen],
  ['tasks/get', getTask],
  ['tasks/update', updateTask],
  ['tasks/cancel', cancelTask],
  ['tasks/result', taskResult],
  ['tasks/list', listTasks],
])

/** Finds what a request names as its target; undefined if its method has no target. */
export function findTarget(method: unknown, params: unknown): Target | undefined {
  const target = typeof method === 'string' ? METHODS.get(method)?.target : undefined
  if (target === undefined || !isObject(params)) return undefined
  return { kind: target.kind, name: params[target.param], arguments: params['arguments'] }
}

/** The target of a request, as far as its headers show it. */
export interface NamedRequest {
  readonly method: string
  /** The name of the tool or the prompt, or the URI of the resource. */
  readonly name: string
}

/**
 * Finds the scopes that a request needs, so that the body of a caller without a valid token need not be
 * read. Returns none for names that are not served, or that strangers may not know.
 * Spec 2026-07-28: basic/authorization, "Scope Selection Strategy".
 */
export function findNeededScopes(
  { method, name }: NamedRequest,
  { catalog, hooks }: Uses<'catalog' | 'hooks'>,
): readonly string[] {
  const entry = METHODS.get(method)?.target?.find?.(name, catalog)
  return entry !== undefined && hooks.isPublic(entry) ? entry.scopes : []
}

/**
 * The request that the headers name; undefined if they name none, as for lists and sessions. Never
 * throws.
 */
export function findNamedRequest(headers: Headers): NamedRequest | undefined {
  const revision = findRevision(getHeader(headers, 'mcp-protocol-version')?.trim() ?? '')
  const method = getHeader(headers, 'mcp-method')?.trim() ?? ''
  const target = revision && findMirroredTarget(revision, method)
  const name = target && readMirroredName(headers)
  return name === undefined ? undefined : { method, name }
}

/** Finds the target that `Mcp-Name` repeats; undefined if the revision mirrors none here. */
export function findMirroredTarget(revision: Revision, method: string): MethodTarget | undefined {
  return revision.mirrorsParams && revision.methods.has(method) ? METHODS.get(method)?.target : undefined
}

function readMirroredName(headers: Headers): string | undefined {
  const raw = getHeader(headers, 'mcp-name')
  if (raw === undefined) return undefined
  try {
    return decodeHeader('Mcp-Name', raw)
  } catch {
    return undefined // refused as malformed once there is a token
  }
}
