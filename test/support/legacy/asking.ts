// A tool that asks, and a client of a session that answers over POSTs of its own.
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { form } from '../input/rounds.ts'
import type { EventListener } from './event-stream.ts'
import { connected, type Handler, type Opening, type TestSession, tool } from './session.ts'

export { accept, form } from '../input/rounds.ts'

export interface Asking {
  client: TestSession
  call: EventListener
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

export const textOf = (call: EventListener) => call.last().then(({ result }) => result.content[0].text)
