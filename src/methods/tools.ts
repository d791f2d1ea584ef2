// tools/list and tools/call. Spec 2026-07-28: server/tools.
import { execute, type Outcome } from '../execution/execute.ts'
import { McpError } from '../protocol/errors.ts'
import { checkParamHeaders } from '../protocol/headers.ts'
import { CallToolParams } from '../protocol/schemas/methods.ts'
import { listMethod } from './lists.ts'
import { inputRequired, type Method, type Served } from './method.ts'

export const listTools = listMethod('tools', ({ catalog }) => catalog.tools)

export const callTool: Method = {
  params: CallToolParams,
  serve(exchange, { catalog, executor }) {
    const { name, arguments: args } = exchange.params as CallToolParams
    const tool = catalog.tools.find(name)
    if (tool === undefined) throw new McpError('UNKNOWN_TOOL', name)
    // Compared before the limiter runs: a mismatched parameter must not spend the tool's budget.
    if (exchange.revision.mirrorsParams && tool.mirrored.length > 0)
      checkParamHeaders(exchange.headers, args, tool.mirrored)
    const outcome = execute(executor, tool, exchange)
    const servedOf = (ended: Outcome): Served =>
      ended.kind === 'input_required' ? inputRequired(executor.seal, exchange, ended.questions) : ended
    return outcome instanceof Promise ? outcome.then(servedOf) : servedOf(outcome)
  },
}
