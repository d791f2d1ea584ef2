// The end of a request as a program hears it: the facts of the audit, without headers, tokens,
// arguments and results. Names are cleaned as in the audit.
import type { Mask } from '../execution/mask.ts'
import { McpError } from '../protocol/errors.ts'
import { formatClaim } from '../request/claim-keys.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import { createNameCleaner, MAX_URI_LENGTH, type NameCleaner, shortenTaskId } from './clean-name.ts'
import type { RequestEnded, Target } from './request-ended.ts'
import { findTraceparent } from './trace-context.ts'

/** A verified caller; by its token or key, or by the app. */
export interface EndedCaller {
  readonly subject: string
  readonly issuer?: string | undefined
  readonly clientId?: string | undefined
  /** By `tenantClaim`. */
  readonly tenant?: string | undefined
}

/** The name that was called: unverified, so nothing may have it. */
export interface EndedTarget {
  readonly kind: 'tool' | 'prompt' | 'uri' | 'task'
  /** Of a task, the first 8 characters of its id. */
  readonly name: string
}

/** The end of a request, of a stream's opening, or of a task. */
export interface EndedRequest {
  /**
   * - `method`: a method was served, or refused its params
   * - `http`: refused before that, or GET or DELETE of a session
   * - `task`: the end of a task, whose request has ended before
   */
  readonly source: 'method' | 'http' | 'task'
  /** The server's own; the lines of its log have it, too. */
  readonly requestId: string
  /** Of W3C trace context: of the request's span, else as the client sent it. */
  readonly traceparent?: string | undefined
  /** `mcp`, or another door, such as `plain-http`. */
  readonly door: string
  /** Of MCP, once it is known. */
  readonly revision?: string | undefined
  readonly caller?: EndedCaller | undefined
  /** Without a caller: its IPv4 address, or the /64 of its IPv6 address; the `clientKey` of a door without HTTP. */
  readonly address?: string | undefined
  /** Of JSON-RPC, if a message was read. */
  readonly method?: string | undefined
  /** Of HTTP, if no message was read. */
  readonly verb?: string | undefined
  readonly target?: EndedTarget | undefined
  /** The first 8 characters of the id of a task that ends. */
  readonly taskId?: string | undefined
  readonly outcome: RequestOutcome
  /** Why it is not `ok`: the name of an error (docs/reference/errors.md), why it was cancelled, or the outcome itself. */
  readonly reason?: string | undefined
  /** Of the JSON-RPC error, if the answer is one. */
  readonly code?: number | undefined
  /** Of HTTP; undefined for a task. */
  readonly status?: number | undefined
  /** From dispatch to the answer, ms; of a task, its last run. */
  readonly durationMs?: number | undefined
  /** How much of it the client took to answer questions, ms. */
  readonly waitedMs: number
  /** Of the body; undefined if it is not known. */
  readonly requestBytes?: number | undefined
  /** Of the JSON-RPC answer; undefined if a stream goes on. */
  readonly responseBytes?: number | undefined
}

/**
 * Hears of the end of each request.
 * A promise that it returns is not waited for.
 */
export type EndedListener = (ended: EndedRequest) => unknown

/** @param tenantClaim names the claim of the tenant */
export function createEndedRequest(mask: Mask, tenantClaim: string | undefined): (ended: RequestEnded) => EndedRequest {
  const clean = createNameCleaner(mask)
  return ended =>
    Object.freeze({
      source: ended.source,
      requestId: ended.requestId,
      traceparent: ended.traceparent ?? findTraceparent(ended.params, ended.headers),
      door: ended.door ?? 'mcp',
      revision: ended.revision,
      caller: toCaller(ended, clean, tenantClaim),
      address: ended.caller === undefined ? ended.clientKey.replace('address ', '') : undefined,
      method: cleanIfThere(ended.method, clean.name),
      verb: ended.method === undefined ? ended.verb : undefined,
      target: toTarget(ended.target, clean),
      taskId: cleanIfThere(ended.taskId, shortenTaskId),
      outcome: ended.ending.outcome,
      reason: ended.ending.reason,
      code: ended.error instanceof McpError ? ended.error.code : undefined,
      status: ended.status,
      durationMs: ended.durationMs,
      waitedMs: ended.waitedMs ?? 0,
      requestBytes: ended.requestBytes,
      responseBytes: ended.responseJson === undefined ? undefined : Buffer.byteLength(ended.responseJson),
    })
}

const cleanIfThere = (text: string | undefined, clean: (text: string) => string) =>
  text === undefined ? undefined : clean(text)

function toCaller(
  { caller }: RequestEnded,
  { identity }: NameCleaner,
  tenantClaim: string | undefined,
): EndedCaller | undefined {
  if (caller === undefined) return undefined
  return {
    subject: identity(caller.subject),
    issuer: cleanIfThere(caller.issuer, identity),
    clientId: cleanIfThere(caller.clientId, identity),
    tenant: tenantClaim === undefined ? undefined : cleanIfThere(formatClaim(caller, tenantClaim), identity),
  }
}

function toTarget(target: Target | undefined, { name: clean }: NameCleaner): EndedTarget | undefined {
  if (typeof target?.name !== 'string') return undefined
  const { kind, name } = target
  if (kind === 'task') return { kind, name: clean(shortenTaskId(name)) }
  return { kind, name: kind === 'uri' ? clean(name, MAX_URI_LENGTH) : clean(name) }
}
