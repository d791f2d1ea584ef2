// A tool with an idempotency key that counts how often it acts, and calls of it.
import { defineTool, ToolError, Type } from '../../src/index.ts'

/** Acts at once, or waits for `pass` if told to. */
export function orders({ waits = false, fails = false } = {}) {
  const acts: string[] = []
  let pass = () => {}
  const gate = new Promise<void>(resolve => (pass = resolve))
  const tool = defineTool({
    name: 'order',
    inputSchema: Type.Object({ sku: Type.String() }, { additionalProperties: false }),
    idempotency: true,
    async handler({ sku }) {
      acts.push(sku)
      if (waits) await gate
      if (fails) throw new ToolError(`No ${sku} left.`)
      return `order ${acts.length}`
    },
  })
  return { tool, acts, pass: () => pass() }
}

export const key = (idempotencyKey: string, sku = 'a') => ({ sku, idempotencyKey })
export const text = (said: string | RegExp) => ({ content: [{ type: 'text', text: said }] })
export const failure = (said: string | RegExp) => ({ isError: true, ...text(said) })
