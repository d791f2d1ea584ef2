// A tool that asks, and a client of a session that answers over POSTs of its own.
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type AppClient, connected } from '../client/app-client.ts'
import type { Opening } from '../client/client.ts'
import type { TestReply } from '../client/reply.ts'
import { form } from '../input/rounds.ts'
import { type Handler, tool } from '../steered-tools.ts'

export { accept, form } from '../input/rounds.ts'

export interface Asking {
  client: AppClient
  call: TestReply
}

/** A session whose call of `asker` is under way. */
export async function asking(
  t: Test,
  handler: Handler,
  opening?: Opening,
  options: ServerOptions = {},
): Promise<Asking> {
  const client = await connected(t, { tools: [tool('asker', handler)], ...options }, opening)
  return { client, call: await client.postTool('asker') }
}

export const greet: Handler = async ctx => {
  const { action, content } = await ctx.elicit('name', form('name'))
  return action === 'accept' ? `Hello ${content?.['name']}` : `No name: ${action}`
}

export const sampling = { messages: [{ role: 'user' as const, content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }
export const sampled = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' }

export const textOf = (call: TestReply) => call.last().then(({ result }) => result.content[0].text)
