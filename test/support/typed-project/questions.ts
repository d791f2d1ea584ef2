// Questions to the user: what they answer is known by the form.
import { defineTool, type ElicitParams, Type } from 'toolrack'
import { assertType, type Equal } from './equal.js'

export default defineTool({
  name: 'asks',
  async handler(_args, ctx) {
    const answer = await ctx.elicit('order', {
      message: 'What do you want?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', maxLength: 100 },
          count: { type: 'integer' },
          weight: { type: 'number' },
          sure: { type: 'boolean', default: false },
          unit: { type: 'string', enum: ['kg', 'piece'] },
          size: {
            type: 'string',
            oneOf: [
              { const: 's', title: 'Small' },
              { const: 'l', title: 'Large' },
            ],
          },
          tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
          days: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }] } },
        },
        required: ['name', 'sure'],
      },
    })
    if (answer.action !== 'accept') {
      assertType<Equal<typeof answer.content, undefined>>()
      return answer.action
    }
    assertType<
      Equal<
        typeof answer.content,
        {
          name: string
          sure: boolean
          count?: number
          weight?: number
          unit?: 'kg' | 'piece'
          size?: 's' | 'l'
          tags?: ('a' | 'b')[]
          days?: 'mo'[]
        }
      >
    >()
    // @ts-expect-error: not a field
    void answer.content.nope

    // Nothing is required, so a client may leave the content out.
    const optional = await ctx.elicit('optional', {
      message: 'Anything else?',
      requestedSchema: { type: 'object', properties: { note: { type: 'string' } } },
    })
    assertType<Equal<typeof optional.content, { note?: string } | undefined>>()

    const typebox = await ctx.elicit('typebox', {
      message: 'Sure?',
      requestedSchema: Type.Object({ sure: Type.Boolean() }),
    })
    if (typebox.action === 'accept') assertType<Equal<typeof typebox.content.sure, boolean>>()

    const opened = await ctx.elicit('url', { mode: 'url', message: 'Sign in', url: 'https://example.com' })
    assertType<Equal<typeof opened.content, undefined>>()

    const params: ElicitParams = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
    assertType<Equal<Awaited<ReturnType<typeof ctx.elicit>>['action'], 'accept' | 'decline' | 'cancel'>>()
    await ctx.elicit('any', params)
    // @ts-expect-error: a form has a schema
    await ctx.elicit('none', { message: 'Sure?' })
    return answer.content.name
  },
})
