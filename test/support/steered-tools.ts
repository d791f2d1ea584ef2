// Tools that tests steer.
import { defineTool, type ToolContext } from '../../src/index.ts'

export type Handler = (ctx: ToolContext, args: Record<string, unknown>) => unknown

/** A tool that takes any arguments. */
export const tool = (name: string, handler: Handler, more: object = {}) =>
  defineTool({ name, inputSchema: { type: 'object' }, ...more, handler: (args, ctx) => handler(ctx, args) })

/** A tool that never ends by itself: `started` when it runs, `aborted` when it should stop. With a token, it says so. */
export function stuckTool(name = 'stuck', more: object = {}) {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<string>()
  const stuck = tool(
    name,
    ({ signal, progress }) => {
      signal.addEventListener('abort', () => aborted.resolve(String(signal.reason.message)))
      progress(1)
      started.resolve()
      return new Promise(() => {})
    },
    more,
  )
  return { stuck, started: started.promise, aborted: aborted.promise }
}

/** A tool that ends when the test lets it. With a token, it says that it has begun. */
export function gatedTool(name = 'slow') {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const gated = tool(name, async ({ progress }) => {
    progress(1)
    started.resolve()
    await gate.promise
    return 'done'
  })
  return { gated, started: started.promise, open: gate.resolve }
}
