// What the tests of the audit share: a server with tools that end in every way, and its newest line.
import type { Test } from 'tap'
import { defineTool, type ServerOptions, ToolError } from '../../src/index.ts'
import { type App, build } from './app.ts'

export const TOOLS = [
  defineTool({ name: 'fine', inputSchema: { type: 'object' }, handler: () => 'fine' }),
  defineTool({ name: 'strict', inputSchema: { type: 'object', additionalProperties: false }, handler: () => 'fine' }),
  defineTool({
    name: 'fails',
    handler: () => {
      throw new ToolError('no')
    },
  }),
  defineTool({ name: 'says', handler: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) }),
  defineTool({ name: 'wrong', outputSchema: { type: 'object', required: ['a'] }, handler: () => ({}) }),
  defineTool({ name: 'slow', timeout: 20, handler: () => new Promise(() => {}) }),
  defineTool({ name: 'rare', rateLimit: { max: 1, timeWindow: '1 minute' }, handler: () => 'once' }),
  defineTool({
    name: 'asks',
    async handler(_args, ctx) {
      await ctx.elicit('q', { message: '?', requestedSchema: { type: 'object', properties: {} } })
      return 'asked'
    },
  }),
  defineTool({
    name: 'confirms',
    async handler(_args, ctx) {
      await ctx.confirm('Sure?')
      return 'confirmed'
    },
  }),
]

export const audited = (t: Test, options: ServerOptions = {}): Promise<App> => build(t, { tools: TOOLS, ...options })

/** The lines since the last look; the test says how many there have to be. */
export function newLines(app: App) {
  let seen = app.audit.lines.length
  return () => {
    const lines = app.audit.lines.slice(seen)
    seen = app.audit.lines.length
    return lines
  }
}
