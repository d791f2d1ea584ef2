// The server that each client meets: a process of its own on a port that it keeps, so that it can be started again.
import type { Test } from 'tap'
import { freePort } from '../../support/free-port.ts'
import { type Process, serve } from '../../support/servers/own-process.ts'

const TOOLS = {
  'shop.mjs': `
import { ToolError } from 'toolrack'
export default [
  {
    name: 'get_price',
    description: 'Looks up the price of a product.',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'], additionalProperties: false },
    outputSchema: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
    annotations: { readOnlyHint: true },
    handler({ sku }) {
      if (sku === 'unknown') throw new ToolError('There is no product unknown; search for its name first.')
      return { price: 42 }
    },
  },
  {
    name: 'buy',
    description: 'Buys a product, if the user agrees.',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    async handler({ sku }, ctx) {
      const { action } = await ctx.elicit('sure', {
        message: 'Buy ' + sku + '?',
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
      })
      return action === 'accept' ? 'bought' : 'not bought'
    },
  },
]
`,
}

export interface Shop {
  readonly url: string
  /** The lines of its log so far, of every start. */
  lines(): unknown[]
  /** Ends the process and starts another at the same port: its sessions are gone. */
  restart(): Promise<void>
}

export async function openShop(t: Test, environment: Record<string, string> = {}): Promise<Shop> {
  const settings = { PORT: String(await freePort()), DRAIN_MS: '0', ...environment }
  const open = () => serve(t, TOOLS, settings)
  const processes: Process[] = [await open()]
  return {
    url: processes[0]!.url,
    lines: () => processes.flatMap(process => process.lines),
    async restart() {
      const running = processes.at(-1)!
      running.child.kill('SIGKILL')
      await running.exited
      processes.push(await open())
    },
  }
}
