// Do the headers that clients send beside the body reach the server?
// Spec 2026-07-28: basic/transports/streamable-http, "Request Metadata" and "Server Validation".
import { CATALOGUE } from 'toolrack/protocol'
import { toVisibleLine } from 'toolrack/text'
import type { Check, Fault } from '../check-context.ts'
import { MODERN, sendLegacy, sendModern, UNKNOWN_REVISION } from '../mcp.ts'

export const MCP_HEADERS: Fault = {
  id: 'mcp-headers',
  severity: 'problem',
  effect: `Clients of ${MODERN} send Mcp-Method, Mcp-Name and MCP-Protocol-Version; what lies between drops or changes them.`,
  fix: 'let each proxy pass headers whose names begin with Mcp- as they are',
}

const REVISION_HEADER: Fault = {
  id: 'revision-header',
  severity: 'warning',
  effect: 'The header has no effect: a server of several revisions may answer in the wrong one.',
  fix: 'refuse revisions that the server does not know with 400, and let proxies pass MCP-Protocol-Version',
}

/** A name that no list contains, so that the header is tested without calling anything. */
const MISSING_TOOL = 'toolrack_doctor_asks_for_a_missing_tool'

export const checkHeaders: Check = async context => {
  const { modern, session } = context
  if (modern?.capabilities['tools'] !== undefined) {
    const params = { name: MISSING_TOOL, arguments: {} }
    const { error } = await sendModern(context, 'tools/call', params, { headers: { 'mcp-name': MISSING_TOOL } })
    if (error?.code === CATALOGUE.HEADER_MISMATCH.code)
      context.report(MCP_HEADERS, `a call is refused: ${toVisibleLine(error.message).slice(0, 200)}`)
    else context.ok('Mcp-Method and Mcp-Name arrive')
  }
  if (session === undefined) return
  const headers = { 'mcp-protocol-version': UNKNOWN_REVISION }
  const { status, result } = await sendLegacy(context, session, context.harmless, {}, { headers })
  if (status === 400) context.ok('unknown revisions are refused')
  else if (result !== undefined)
    context.report(REVISION_HEADER, `a request with MCP-Protocol-Version: ${UNKNOWN_REVISION} is served`)
}
