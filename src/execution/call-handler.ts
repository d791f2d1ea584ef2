// Calls the handler of a tool, within the hooks, with what its schema library makes of the arguments.
import { discardFiles, hasFiles } from '../registry/file-content.ts'
import type { ToolContext } from '../registry/handler-context.ts'
import type { OnCall } from '../registry/hooks.ts'
import { isPlainObject } from '../registry/plain-object.ts'
import type { Parse } from '../registry/standard-schema.ts'
import type { Tool } from '../registry/tool.ts'
import { andThen, isThenable } from '../request/maybe-promise.ts'
import { CallContext, getExchange } from './call-context.ts'
import { HookRuns, type StrayRuns } from './handler-runs.ts'
import { invalidResult } from './normalise.ts'
import { parseArguments, parseReturned } from './parse.ts'
import type { SlowChecks } from './slow-checks.ts'
import { ToolFailure } from './tool-failure.ts'

export interface HandlerCall {
  readonly tool: Tool
  /** A copy, which the handler may change. */
  readonly args: unknown
  readonly ctx: ToolContext
  /** Learns that the handler has begun. */
  readonly run: { hasBegun: boolean } | undefined
  /** Counts handlers that go on without the hook that has called them; undefined without hooks. */
  readonly strays?: StrayRuns | undefined
  readonly slowChecks: SlowChecks
}

/**
 * @param onCall the hooks of all tools, the outermost first
 * @throws ToolFailure `invalid_arguments`, `invalid_output`, `limited`; what hooks and handler throw
 */
export function callHandler(call: HandlerCall, onCall: readonly OnCall[]): unknown {
  const { tool, args, ctx, slowChecks } = call
  const { parseInput, parseOutput, isIsolated } = tool
  const hooks = tool.onCall.length === 0 ? onCall : [...onCall, ...tool.onCall]
  if (parseInput === undefined && parseOutput === undefined && hooks.length === 0) return begin(call)
  const isSlow = tool.slowPatterns.length > 0
  const { clientKey } = getExchange(ctx)
  if (isSlow) slowChecks.assertRoom(tool.name, clientKey)
  const counted = (parse: Parse) => (isSlow ? slowChecks.count(parse, clientKey) : parse)
  const parsed = parseInput === undefined ? args : parseArguments(tool.name, args, counted(parseInput))
  // The process of an isolated tool parses again, since only JSON can be sent there.
  const returned = andThen(parsed, value =>
    callNext(hooks, 0, isIsolated ? call : withArguments(call, value), undefined),
  )
  return parseOutput === undefined || isIsolated
    ? returned
    : parseReturned(returned, counted(parseOutput), (text, detail) => invalidResult(tool, text, detail))
}

/** @param within the hooks around this one; undefined of the outermost */
function callNext(hooks: readonly OnCall[], index: number, call: HandlerCall, within: HookRuns | undefined): unknown {
  const { tool, args, ctx } = call
  const hook = hooks[index]
  if (hook === undefined) return within === undefined ? begin(call) : beginWithinHooks(call, within)
  const runs = new HookRuns(within)
  const next = (changed: unknown = args) =>
    promiseOf(() => callNext(hooks, index + 1, withArguments(call, changed), runs))
  try {
    return runs.follow(readAtOnce(hook({ tool: tool.info, arguments: args, caller: ctx.caller, ctx }, next)))
  } catch (thrown) {
    runs.settle()
    throw thrown
  }
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

// A hook may call again, with what the call began with; and it may not pass on what it gets.
function beginWithinHooks(call: HandlerCall, within: HookRuns): unknown {
  const ctx = CallContext.forHandler(call.ctx)
  const returned = begin({ ...call, ctx, args: copyPlain(call.args) })
  if (!isThenable(returned)) return noteFiles(call, returned)
  const run = { abandon: () => CallContext.abandon(ctx) }
  within.add(run)
  call.strays?.handlerBegins()
  const end = () => {
    within.delete(run)
    call.strays?.handlerEnds()
  }
  const ended = Promise.resolve(returned)
  ended.then(end, end)
  return ended.then(value => noteFiles(call, value))
}

function noteFiles({ ctx }: HandlerCall, returned: unknown): unknown {
  if (hasFiles(returned)) CallContext.onClose(ctx, () => discardFiles(returned))
  return returned
}

/** Copies plain objects and arrays; what else a schema library makes has no copy that is sure to be one. */
function copyPlain(value: unknown, copies = new Map<unknown, unknown>()): unknown {
  if (typeof value !== 'object' || value === null || !(Array.isArray(value) || isPlainObject(value))) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  const copy: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value))
  copies.set(value, copy)
  for (const [key, member] of Object.entries(value)) {
    const copied = { value: copyPlain(member, copies), writable: true, enumerable: true, configurable: true }
    Object.defineProperty(copy, key, copied)
  }
  return copy
}

/** @throws ToolFailure `cancelled` after the end of the call, which a hook or a check may outlast */
function begin({ tool, args, ctx, run }: HandlerCall): unknown {
  if (!CallContext.isOpen(ctx)) throw new ToolFailure('cancelled', `${tool.name} does not run: its call has ended`)
  if (run !== undefined) run.hasBegun = true
  return tool.handler(args, ctx)
}
