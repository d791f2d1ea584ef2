// tools/list and tools/call. Spec 2026-07-28: server/tools.
import type { Access } from '../access/access.ts'
import type { Exchange } from '../exchange.ts'
import { execute, type Outcome } from '../execution/execute.ts'
import { failureResult } from '../execution/failure.ts'
import { withoutStrayMeta } from '../execution/validate.ts'
import { McpError } from '../protocol/errors.ts'
import { checkParamHeaders } from '../protocol/headers.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { CallToolParams } from '../protocol/schemas/methods.ts'
import type { Tool } from '../registry/tool.ts'
import { callAsTask, mannerOf } from './call-as-task.ts'
import { listMethod } from './lists.ts'
import { inputRequired, type Method, type Served } from './method.ts'

export const listTools = listMethod('tools', ({ catalog }) => catalog.tools)

export const callTool: Method = {
  params: CallToolParams,
  findScopes: (name, { tools }) => tools.find(name)?.scopes,
  serve(asked, services) {
    const { catalog, executor, access } = services
    const { name, arguments: args } = asked.params as CallToolParams
    const tool = catalog.tools.find(name)
    if (tool === undefined) throw new McpError('UNKNOWN_TOOL', name)
    const denied = authorise(access, asked, tool)
    if (denied !== undefined) return denied
    const exchange = args !== undefined && '_meta' in args ? withoutMeta(asked, tool, args) : asked
    // Compared before the limiter runs: a mismatched parameter must not spend the tool's budget.
    if (exchange.revision.mirrorsParams && tool.mirrored.length > 0)
      checkParamHeaders(exchange.headers, args, tool.mirrored)
    const manner = catalog.hasTasks ? mannerOf(exchange, tool, services) : 'within'
    if (manner !== 'within') return callAsTask(exchange, services, { tool, manner })
    const outcome = execute(executor, tool, exchange)
    const servedOf = (ended: Outcome): Served =>
      ended.kind === 'input_required' ? inputRequired(executor.seal, exchange, ended.questions) : ended
    return outcome instanceof Promise ? outcome.then(servedOf) : servedOf(outcome)
  },
}

// Before anything looks at the arguments: a trace is another in each repetition of a call.
function withoutMeta(exchange: Exchange, tool: Tool, args: JsonObject): Exchange {
  const rest = withoutStrayMeta(tool, args)
  return rest === args ? exchange : { ...exchange, params: { ...exchange.params, arguments: rest } }
}

/** @throws McpError INSUFFICIENT_SCOPE (403), unless a refusal is to be a result; who asks for a task takes none */
function authorise(access: Access, { caller, revision, params }: Exchange, tool: Tool): Served | undefined {
  if (access.may(caller, tool.scopes)) return undefined
  const isTaskAsked = revision.tasks?.onRequest === true && params['task'] !== undefined
  if (!access.deniesByResult || isTaskAsked) access.assertMay(caller, tool)
  const text = `Not allowed: ${tool.name} needs the scopes ${tool.scopes.join(' ')}. Ask the user to grant them.`
  return { kind: 'denied', result: failureResult(text) }
}
