// Calls the handler of a tool, within the hooks, with the arguments that its schema library has parsed.
import { discardFiles, hasFiles } from '../registry/file-content.ts'
import type { ToolContext } from '../registry/handler-context.ts'
import type { OnCall, ToolCall } from '../registry/hooks.ts'
import { isPlainObject } from '../registry/plain-object.ts'
import type { Parse } from '../registry/standard-schema.ts'
import type { Tool } from '../registry/tool.ts'
import { run, type Steps, wait } from '../request/steps.ts'
import { CallContext, getExchange } from './call-context.ts'
import type { AbandonedHandlers, HookRuns } from './handler-runs.ts'
import { invalidResult } from './normalise.ts'
import { parseReturned, readArguments } from './parse.ts'
import type { SlowChecks } from './slow-checks.ts'
import { ToolFailure } from './tool-failure.ts'
import { beginHandler, callWithin } from './within-hooks.ts'

export interface HandlerCall {
  readonly tool: Tool
  /** A copy that the handler may change. */
  readonly args: unknown
  readonly ctx: ToolContext
  /** Set once the handler has begun. */
  readonly run: { hasBegun: boolean } | undefined
  /** Counts handlers that continue without the hook that called them; undefined without hooks. */
  readonly abandoned?: AbandonedHandlers | undefined
  readonly slowChecks: SlowChecks
}

/**
 * @param onCall the hooks of all tools, the outermost first
 * @throws ToolFailure `invalid_arguments`, `invalid_output`, `limited`; what hooks and handler throw
 */
export function callHandler(call: HandlerCall, onCall: readonly OnCall[]): unknown {
  const { parseInput, parseOutput, onCall: ownHooks } = call.tool
  const hooks = ownHooks.length === 0 ? onCall : [...onCall, ...ownHooks]
  if (parseInput === undefined && parseOutput === undefined && hooks.length === 0) return begin(call)
  return run(callChecked(call, hooks))
}

function* callChecked(call: HandlerCall, hooks: readonly OnCall[]): Steps<unknown> {
  const { tool, args, ctx, slowChecks } = call
  const { parseInput, parseOutput, isIsolated } = tool
  const isSlow = tool.slowPatterns.length > 0
  const { clientKey } = getExchange(ctx)
  if (isSlow) slowChecks.assertRoom(tool.name, clientKey)
  const counted = (parse: Parse) => (isSlow ? slowChecks.count(parse, clientKey) : parse)
  const parsed = parseInput && readArguments(tool.name, yield* wait(counted(parseInput)(args)))
  // The process of an isolated tool parses the arguments again, since only JSON can be sent there.
  const returned = beginOrHook(parseInput === undefined || isIsolated ? call : withArguments(call, parsed), hooks)
  return parseOutput === undefined || isIsolated
    ? returned
    : parseReturned(returned, counted(parseOutput), (text, detail) => invalidResult(tool, text, detail))
}

function beginOrHook(call: HandlerCall, hooks: readonly OnCall[]): unknown {
  if (hooks.length === 0) return begin(call)
  const { tool, ctx } = call
  return callWithin(hooks, call.args, {
    describe: args => ({ tool: tool.info, arguments: args, caller: ctx.caller, ctx }) satisfies ToolCall,
    begin: (args, runs) => beginWithinHooks(withArguments(call, args), runs),
  })
}

const withArguments = (call: HandlerCall, args: unknown): HandlerCall => (args === call.args ? call : { ...call, args })

// Copies the arguments, so that a hook that calls `next` twice starts from the same ones. Discards
// files that the hook does not return.
function beginWithinHooks(call: HandlerCall, runs: HookRuns): unknown {
  const { ctx, abandoned } = call
  const returned = beginHandler({ ctx, runs, abandoned }, own =>
    begin({ ...call, ctx: own, args: copyPlain(call.args) }),
  )
  return run(noteFiles(call, returned))
}

function* noteFiles({ ctx }: HandlerCall, returning: unknown): Steps<unknown> {
  const returned = yield* wait(returning)
  if (hasFiles(returned)) CallContext.onClose(ctx, () => discardFiles(returned))
  return returned
}

/**
 * Copies plain objects and arrays. Keeps other values of a schema library, which may not be copied
 * safely.
 */
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

/**
 * @throws ToolFailure `cancelled` if the call has ended: a hook or a check may take longer than the
 *   call
 */
function begin({ tool, args, ctx, run }: HandlerCall): unknown {
  if (!CallContext.isOpen(ctx)) throw new ToolFailure('cancelled', `${tool.name} does not run: its call has ended`)
  if (run !== undefined) run.hasBegun = true
  return tool.handler(args, ctx)
}
