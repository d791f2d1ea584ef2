// Tools that ask in the course of their task.
import { form } from '../input/rounds.ts'
import { type Handler, job, nextTurn } from './modern.ts'

export const question = { messages: [{ role: 'user' as const, content: { type: 'text', text: 'Hm?' } }], maxTokens: 5 }

/** Asks behind its first turn, and so in its task. */
export const later = (handler: Handler) =>
  job('asker', async (ctx, args) => {
    await nextTurn()
    return handler(ctx, args)
  })
export const nameOf = async (ctx: Parameters<Handler>[0], key = 'name') =>
  (await ctx.elicit(key, form('name'))).content?.['name']

export const keysOf = (task: { inputRequests: object }) => Object.keys(task.inputRequests).sort()
