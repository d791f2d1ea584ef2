// Runs the handler of a tool, a prompt or a resource within hooks.
import type { ToolContext } from '../registry/handler-context.ts'
import type { Around } from '../registry/hooks.ts'
import { isThenable } from '../request/maybe-promise.ts'
import { CallContext } from './call-context.ts'
import { type AbandonedHandlers, HookRuns } from './handler-runs.ts'

export interface WithinHooks<Value> {
  /** The argument of a hook. @param value that its handler would get, such as the arguments */
  describe(value: Value): object
  /** Begins the handler. @param runs those of the innermost hook */
  begin(value: Value, runs: HookRuns): unknown
}

/**
 * @param hooks the outermost first
 * @param value for the handler; a hook may give another one to `next`
 * @returns what the outermost hook returns @throws what it throws
 */
export function callWithin<Value>(hooks: readonly Around[], value: Value, steps: WithinHooks<Value>): unknown {
  return callNext(hooks, 0, value, { steps, runs: undefined })
}

interface Outer<Value> {
  readonly steps: WithinHooks<Value>
  /** The runs of the hook around this one; undefined for the outermost. */
  readonly runs: HookRuns | undefined
}

function callNext<Value>(hooks: readonly Around[], index: number, value: Value, outer: Outer<Value>): unknown {
  const { steps } = outer
  const hook = hooks[index]
  if (hook === undefined) return steps.begin(value, outer.runs!)
  const runs = new HookRuns(outer.runs)
  const next = (changed: Value = value) => promiseOf(() => callNext(hooks, index + 1, changed, { steps, runs }))
  try {
    return runs.follow(readAtOnce(hook(steps.describe(value), next)))
  } catch (thrown) {
    runs.settle()
    throw thrown
  }
}

/** Property of a promise of `next` with the value that a handler returned at once. */
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

// Most hooks return what `next` gave. Then the call need not wait, which would cost as much as all
// its checks.
const readAtOnce = (returned: unknown): unknown =>
  returned instanceof Promise && VALUE in returned ? returned[VALUE] : returned

export interface HandlerWithinHooks {
  /** The context of the call. */
  readonly ctx: ToolContext
  readonly runs: HookRuns
  readonly abandoned?: AbandonedHandlers | undefined
}

/** Begins a handler with its own context, whose signal aborts if the hook settles first. */
export function beginHandler(
  { ctx: call, runs, abandoned }: HandlerWithinHooks,
  handler: (ctx: ToolContext) => unknown,
) {
  const ctx = CallContext.forHandler(call)
  const returned = handler(ctx)
  if (!isThenable(returned)) return returned
  const run = { abandon: () => CallContext.abandon(ctx) }
  runs.add(run)
  abandoned?.handlerBegins()
  const end = () => {
    runs.delete(run)
    abandoned?.handlerEnds()
  }
  const ended = Promise.resolve(returned)
  ended.then(end, end)
  return ended
}
