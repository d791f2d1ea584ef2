// A client that answers what a tool asks, round by round, as the specification says: the same call, the state, the answers.
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { defineTool, type ServerOptions, type ToolContext } from '../../../src/index.ts'
import { build, type CallOptions, call, type Reply } from '../app.ts'

export const ABLE = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export const form = (...names: string[]) => ({
  message: `Your ${names.join(' and ')}?`,
  requestedSchema: {
    type: 'object' as const,
    properties: Object.fromEntries(names.map(name => [name, { type: 'string', minLength: 1 }])),
    required: names,
  },
})

export const accept = (content: object) => ({ action: 'accept', content })

export interface Round {
  arguments?: object
  inputResponses?: object
  requestState?: string
}

/** One round: with `before`, its state comes back. */
export function ask(
  app: FastifyInstance,
  round: Round = {},
  before?: Reply,
  options: CallOptions = {},
): Promise<Reply> {
  const { requestState } = before?.result ?? {}
  const params = { name: 'asker', arguments: {}, ...(requestState && { requestState }), ...round }
  return call(app, 'tools/call', params, { capabilities: ABLE, ...options })
}

export const askedOf = (reply: Reply) => Object.keys(reply.result.inputRequests ?? {}).sort()
export const textOf = (reply: Reply) => reply.result.content?.[0]?.text

export type Handler = (ctx: ToolContext, args: Record<string, unknown>) => unknown

/** A server with one tool, `asker`. */
export function rack(t: Test, handler: Handler, more: object = {}, options: ServerOptions = {}) {
  const inputSchema = { type: 'object' }
  const tool = defineTool({ name: 'asker', inputSchema, ...more, handler: (args, ctx) => handler(ctx, args) })
  return build(t, { tools: [tool], ...options })
}

/** Asks for a name, and says what came of it. */
export const greet: Handler = async ctx => {
  const { action, content } = await ctx.elicit('name', form('name'))
  return action === 'accept' ? `Hello ${content?.['name']}` : `No name: ${action}`
}
