// Which scopes a request needs, by its headers alone: who has no valid token has no body read.
// Specification 2026-07-28: basic/authorization, "Scope Selection Strategy".
import { decodeHeader, type Headers, headerOf } from '../protocol/headers.ts'
import { revisionOf } from '../protocol/revisions/index.ts'
import type { Catalog } from '../registry/catalog.ts'
import { METHODS } from './index.ts'

/** None if the headers name nothing, as in lists and sessions, or nothing that is served. Never throws. */
export function findNeededScopes(headers: Headers, catalog: Catalog): readonly string[] {
  const revision = revisionOf(headerOf(headers, 'mcp-protocol-version')?.trim() ?? '')
  const method = headerOf(headers, 'mcp-method')?.trim() ?? ''
  const name = revision?.names.has(method) ? nameIn(headers) : undefined
  return name === undefined ? [] : (METHODS.get(method)?.findScopes?.(name, catalog) ?? [])
}

function nameIn(headers: Headers): string | undefined {
  const raw = headerOf(headers, 'mcp-name')
  if (raw === undefined) return undefined
  try {
    return decodeHeader('Mcp-Name', raw)
  } catch {
    return undefined // refused as malformed once there is a token
  }
}
