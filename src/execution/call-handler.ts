// Calls the handler of a tool, within the hooks, with what its schema library makes of the arguments.
import type { ToolContext } from '../registry/handler-context.ts'
import type { OnCall } from '../registry/hooks.ts'
import type { Tool } from '../registry/tool.ts'
import { andThen, isThenable } from '../request/maybe-promise.ts'
import { CallContext } from './call-context.ts'
import { invalidResult } from './normalise.ts'
import { parseArguments, parseReturned } from './parse.ts'
import { ToolFailure } from './tool-failure.ts'

export interface HandlerCall {
  readonly tool: Tool
  /** A copy, which the handler may change. */
  readonly args: unknown
  readonly ctx: ToolContext
  /** Learns that the handler has begun. */
  readonly run: { hasBegun: boolean } | undefined
}

/**
 * @param onCall the hooks of all tools, the outermost first
 * @throws ToolFailure `invalid_arguments`, `invalid_output`; what hooks and handler throw
 */
export function callHandler(call: HandlerCall, onCall: readonly OnCall[]): unknown {
  const { tool, args } = call
  const { parseInput, parseOutput, isIsolated } = tool
  const hooks = tool.onCall === undefined ? onCall : [...onCall, tool.onCall]
  if (parseInput === undefined && parseOutput === undefined && hooks.length === 0) return begin(call)
  const parsed = parseInput === undefined ? args : parseArguments(tool.name, args, parseInput)
  // The process of an isolated tool parses again, since only JSON can be sent there.
  const returned = andThen(parsed, value => callNext(hooks, 0, isIsolated ? call : withArguments(call, value)))
  return parseOutput === undefined || isIsolated
    ? returned
    : parseReturned(returned, parseOutput, text => invalidResult(tool, text))
}

function callNext(hooks: readonly OnCall[], index: number, call: HandlerCall): unknown {
  const { tool, args, ctx } = call
  const hook = hooks[index]
  if (hook === undefined) return begin(call)
  const next = (changed: unknown = args) => promiseOf(() => callNext(hooks, index + 1, withArguments(call, changed)))
  return readAtOnce(hook({ tool: tool.info, arguments: args, caller: ctx.caller, ctx }, next))
}

const withArguments = (call: HandlerCall, args: unknown): HandlerCall => (args === call.args ? call : { ...call, args })

/** Where a promise of `next` has what a handler returned at once. */
const VALUE = Symbol('value')

function promiseOf(work: () => unknown): Promise<unknown> {
  try {
    const value = work()
    const promise = Promise.resolve(value)
    return isThenable(value) ? promise : Object.assign(promise, { [VALUE]: value })
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

// Most hooks return what `next` gave: then the call need not wait, which costs as much as all its checks.
const readAtOnce = (returned: unknown): unknown =>
  returned instanceof Promise && VALUE in returned ? returned[VALUE] : returned

/** @throws ToolFailure `cancelled` after the end of the call, which a hook or a check may outlast */
function begin({ tool, args, ctx, run }: HandlerCall): unknown {
  if (!CallContext.isOpen(ctx)) throw new ToolFailure('cancelled', `${tool.name} does not run: its call has ended`)
  if (run !== undefined) run.hasBegun = true
  return tool.handler(args, ctx)
}
