// What clients of sessions are asked, and by what they declared: the same rules, in the words of each revision.
import t from 'tap'
import type { ElicitParams } from '../../../../src/registry/form-types.ts'
import { connected } from '../../../support/client/app-client.ts'
import { NEWEST } from '../../../support/client/client.ts'
import { FORMS, SAMPLES, TOOLED, URLS } from '../../../support/input/unaskable.ts'
import { asking, form, sampled, sampling, textOf } from '../../../support/legacy/asking.ts'
import { tool } from '../../../support/steered-tools.ts'
import { FORM, SAMPLING } from '../../../support/wire/rich.ts'

const richForm = FORM as unknown as ElicitParams
const EVERYWHERE = [...FORMS, ...SAMPLES]

for (const [revision, table] of [
  [NEWEST, [...EVERYWHERE, ...URLS, ...TOOLED]],
  ['2025-06-18', EVERYWHERE],
] as const) {
  t.test(`${revision}: what may not be asked is the tool's error, and is not sent`, async t => {
    const asker = tool('asker', (ctx, { index }) => table[Number(index)]![1](ctx))
    const client = await connected(t, { tools: [asker] }, { revision })

    for (const [index, [what, , text]] of table.entries()) {
      const { result, messages } = await client.callTool('asker', { index })
      t.match(result, { isError: true, content: [{ text }] }, what)
      t.equal(messages.length, 1, what)
    }
  })

  t.test(`${revision}: a form of every kind of field is asked`, async t => {
    const { client, call } = await asking(t, async ctx => (await ctx.elicit('q', richForm)).action, { revision })

    const question = await call.next(0)
    await client.answer(question, { action: 'decline' })

    t.strictSame(Object.keys(question.params.requestedSchema.properties).length, 10)
    t.equal(await textOf(call), 'decline')
  })
}

t.test('2025-11-25: a model is asked with everything that the specification knows', async t => {
  const { client, call } = await asking(t, async ctx => (await ctx.sample('q', SAMPLING as never)).model)

  const question = await call.next(0)
  await client.answer(question, sampled)

  t.match(question.params, { toolChoice: { mode: 'auto' }, maxTokens: 100 })
  t.equal(await textOf(call), 'm')
})

for (const [what, more, capabilities, text] of [
  ['a choice of tools', { toolChoice: { mode: 'auto' } }, { sampling: {} }, /sampling\.tools/],
  ['a context', { includeContext: 'thisServer' }, { sampling: { tools: {} } }, /sampling\.context/],
] as const) {
  t.test(`2025-11-25: ${what} needs a capability of its own`, async t => {
    const { call } = await asking(t, ctx => ctx.sample('q', { ...sampling, ...more }), { capabilities })

    t.match(await call.last(), { result: { isError: true, content: [{ text }] } })
    t.equal(call.messages.length, 1)
  })
}

for (const [revision, declared] of [
  [NEWEST, { context: {} }],
  ['2025-06-18', {}],
  ['2024-11-05', {}],
] as const) {
  t.test(`${revision}: a client that declares ${JSON.stringify(declared)} adds a context`, async t => {
    const { client, call } = await asking(
      t,
      async ctx => (await ctx.sample('q', { ...sampling, includeContext: 'thisServer' })).model,
      { revision, capabilities: { sampling: declared } },
    )

    const question = await call.next(0)
    await client.answer(question, sampled)

    t.match(question.params, { includeContext: 'thisServer' })
    t.equal(await textOf(call), 'm')
  })
}

t.test('all that a client lacks is told at once', async t => {
  const { call } = await asking(
    t,
    ctx => Promise.all([ctx.elicit('a', form('a')), ctx.sample('b', sampling), ctx.listRoots('c')]),
    { capabilities: {} },
  )

  t.match(await call.last(), { result: { isError: true, content: [{ text: /elicitation\.form, sampling, roots/ }] } })
})
