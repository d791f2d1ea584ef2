// Tools with schemas of Zod.
import { defineTool, type Static, text } from 'toolrack'
import { z } from 'zod'
import { assertType, type Equal } from './equal.js'

const Order = z.object({
  day: z.iso.date().transform(text => new Date(text)),
  count: z.number().default(1),
  note: z.string().optional(),
})

export default defineTool({
  name: 'order',
  inputSchema: Order,
  outputSchema: z.object({ at: z.string(), unit: z.string().default('piece') }),
  onCall(call, next) {
    assertType<Equal<typeof call.arguments, Static<typeof Order>>>()
    // @ts-expect-error: the count is a number
    void next({ ...call.arguments, count: 'two' })
    return next({ ...call.arguments, count: call.arguments.count + 1 })
  },
  handler({ day, count, note }) {
    assertType<Equal<typeof day, Date>>()
    assertType<Equal<typeof count, number>>()
    assertType<Equal<typeof note, string | undefined>>()
    // @ts-expect-error: not an argument
    void ({} as Static<typeof Order>).nope
    return { at: day.toISOString() }
  },
})

export const wrongResult = defineTool({
  name: 'wrong_result',
  outputSchema: z.object({ at: z.string() }),
  // @ts-expect-error: the schema says a text
  handler: () => ({ at: 1 }),
})

export const wholeOrValue = defineTool({
  name: 'whole_or_value',
  inputSchema: z.object({ id: z.string() }),
  outputSchema: z.object({ unit: z.enum(['kg', 'piece']) }),
  async handler({ id }) {
    if (id === '') return { content: [{ type: 'text', text: 'There is no such order.' }], isError: true }
    if (id === 'x') return { content: [text('An order.')], structuredContent: { unit: 'kg' } }
    return { unit: 'piece' }
  },
})

export const wrongStructure = defineTool({
  name: 'wrong_structure',
  outputSchema: z.object({ unit: z.enum(['kg', 'piece']) }),
  // @ts-expect-error: the structured content of a whole result is checked, too
  handler: () => ({ content: [text('An order.')], structuredContent: { unit: 'mile' } }),
})

export const missingStructure = defineTool({
  name: 'missing_structure',
  outputSchema: z.object({ unit: z.string() }),
  // @ts-expect-error: it would be missing
  handler: () => ({ content: [text('An order.')] }),
})

export const wrongBlock = defineTool({
  name: 'wrong_block',
  outputSchema: z.object({ unit: z.string() }),
  // @ts-expect-error: there is no such block
  handler: () => ({ content: [{ type: 'txt', text: 'gone' }], isError: true }),
})

// Literals stay what they are, also where nothing but the schema says so.
export const literals = defineTool({
  name: 'literals',
  outputSchema: z.object({ unit: z.enum(['kg', 'piece']), tags: z.array(z.enum(['a', 'b'])), ok: z.literal(true) }),
  handler: () => ({ unit: 'kg', tags: ['a', 'b'], ok: true }),
})
export const alternatives = defineTool({
  name: 'alternatives',
  outputSchema: z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), id: z.string() }),
    z.object({ ok: z.literal(false), reason: z.string() }),
  ]),
  async handler(_args, { caller }) {
    if (caller === undefined) return { ok: false, reason: 'nobody calls' }
    return { ok: true, id: caller.subject }
  },
})
export const wrongLiteral = defineTool({
  name: 'wrong_literal',
  outputSchema: z.object({ unit: z.enum(['kg', 'piece']) }),
  // @ts-expect-error: no such unit
  handler: async () => ({ unit: 'mile' }),
})
