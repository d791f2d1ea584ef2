// tools/list and tools/call. Spec 2026-07-28: server/tools.
import type { Access } from '../auth/access.ts'
import { withoutUnusable } from '../execution/arguments.ts'
import { execute } from '../execution/execute.ts'
import { failureResult } from '../execution/tool-failure.ts'
import { McpError } from '../protocol/errors.ts'
import { checkParamHeaders } from '../protocol/headers.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { CallToolParams } from '../protocol/schemas/methods.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import { callAsTask, chooseTaskMode } from './call-as-task.ts'
import { hasTools } from './discover.ts'
import { listMethod } from './lists.ts'
import type { Method, MethodResult } from './method.ts'

export const listTools = listMethod({
  member: 'tools',
  findEntries: ({ tools }) => tools,
  isOffered: hasTools,
})

export const callTool: Method<'catalog' | 'executor' | 'access' | 'hooks' | 'tasks'> = {
  params: CallToolParams,
  target: { kind: 'tool', param: 'name', find: (name, { tools }) => tools.find(name) },
  isOffered: hasTools,
  serve(asked, runtime) {
    const { catalog, executor, access, hooks } = runtime
    const { name, arguments: args } = asked.params as CallToolParams
    const tool = catalog.tools.find(name)
    if (tool === undefined || !hooks.isVisible(tool, asked.caller, asked)) throw new McpError('UNKNOWN_TOOL', name)
    access.assertPageMay(asked, tool)
    const denied = authorise(access, asked, tool)
    if (denied !== undefined) return denied
    const exchange = args === undefined ? asked : dropUnusable(asked, tool, args)
    // Checked before the rate limiter: a call with mismatched parameters must not use up the limit.
    if (exchange.revision.mirrorsParams && tool.mirroredParams.length > 0)
      // Clients of other doors need not repeat what they send.
      checkParamHeaders(exchange.headers, args, tool.mirroredParams, { areRequired: exchange.door === undefined })
    const mode = catalog.hasTasks ? chooseTaskMode(exchange, tool, runtime) : 'inline'
    if (mode !== 'inline') return callAsTask(exchange, runtime, { tool, mode })
    return execute(executor, tool, exchange)
  },
}

// Before the arguments are compared: a repeated call has another trace, or another made-up text.
function dropUnusable(exchange: Exchange, tool: Tool, args: JsonObject): Exchange {
  const rest = withoutUnusable(tool, args)
  return rest === args ? exchange : { ...exchange, params: { ...exchange.params, arguments: rest } }
}

/**
 * @throws McpError INSUFFICIENT_SCOPE (403), unless the server reports missing scopes as a
 *   result; a caller who asks for a task always gets the error
 */
function authorise(access: Access, { caller, revision, params }: Exchange, tool: Tool): MethodResult | undefined {
  if (access.may(caller, tool.scopes)) return undefined
  const isTaskAsked = revision.tasks?.onRequest === true && params['task'] !== undefined
  if (!access.deniesByResult || isTaskAsked) access.assertMay(caller, tool)
  const text = `Not allowed: ${tool.name} needs the scopes ${tool.scopes.join(' ')}. Ask the user to grant them.`
  return { kind: 'denied', result: failureResult(text) }
}
