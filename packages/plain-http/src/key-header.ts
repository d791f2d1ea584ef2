// The header `Idempotency-Key`: a call with it acts once. draft-ietf-httpapi-idempotency-key-header-07.
import type { JsonObject } from 'toolrack'
import type { Tool } from 'toolrack/definitions'
import { McpError } from 'toolrack/door'
import { getHeader, type Headers } from 'toolrack/protocol'

/** A string of RFC 8941. Its parameters are ignored. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:\s*;[^",]*)?$/
/** Without quotes, as many clients send it. */
const BARE = /^[!#-+\--:<-~]+$/

/**
 * @returns the key as the `_meta` of a call; empty without the header
 * @throws McpError INVALID_REQUEST (400) unless there is exactly one key, or if the tool would act
 *   twice
 */
export function readKeyHeader(headers: Headers, tool: Tool | undefined): JsonObject {
  const header = getHeader(headers, 'idempotency-key')?.trim()
  if (header === undefined) return {}
  const [, quoted] = QUOTED.exec(header) ?? []
  if (quoted === undefined && !BARE.test(header))
    throw new McpError('INVALID_REQUEST', 'Idempotency-Key: expected one key in quotes, such as "8e03978e-40d5"')
  if (tool?.hasIdempotency === false)
    throw new McpError(
      'INVALID_REQUEST',
      `${tool.name} has no safe writes (idempotency: true), so it would run again: call it without Idempotency-Key`,
    )
  return { 'toolrack/idempotencyKey': quoted === undefined ? header : quoted.replace(/\\(["\\])/g, '$1') }
}
