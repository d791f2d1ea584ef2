import t from 'tap'
import type { ToolContext } from '../../../src/index.ts'
import { accept, ask, askedOf, form, greet, rack, textOf } from '../../support/input/rounds.ts'

for (const action of ['decline', 'cancel']) {
  t.test(`elicit: ${action} is an answer`, async t => {
    const app = await rack(t, greet)

    const reply = await ask(app, { inputResponses: { name: { action } } }, await ask(app))

    t.equal(textOf(reply), `No name: ${action}`)
  })
}

const IMPROVABLE: [what: string, answer: unknown][] = [
  ['no content', { action: 'accept' }],
  ['null for content', { action: 'accept', content: null }],
  ['content that lacks what is required', accept({})],
  ['null for what is required', accept({ name: null })],
  ['content of another type', accept({ name: 5 })],
  ['content past its bounds', accept({ name: '' })],
  ['content that nobody asked for and no form holds', accept({ name: 'Ada', more: { nested: true } })],
]

for (const [what, answer] of IMPROVABLE) {
  t.test(`elicit: ${what} for an answer is asked for again`, async t => {
    const app = await rack(t, greet)

    const second = await ask(app, { inputResponses: { name: answer } }, await ask(app))
    const third = await ask(app, { inputResponses: { name: accept({ name: 'Ada' }) } }, second)

    t.strictSame(askedOf(second), ['name'])
    t.equal(textOf(third), 'Hello Ada')
  })

  t.test(`elicit: ${what} for an answer, twice, fails the call`, async t => {
    const app = await rack(t, greet)

    const second = await ask(app, { inputResponses: { name: answer } }, await ask(app))
    const third = await ask(app, { inputResponses: { name: answer } }, second)

    t.match(third.result, { isError: true, content: [{ text: /^The answer to "name" cannot be used: \S/ }] })
  })
}

const WRONG: [what: string, answer: unknown, fault: RegExp][] = [
  ['an action that is none', { action: 'maybe' }, /action must be one of accept, decline, cancel/],
  ['an action in capitals', { action: 'ACCEPT', content: { name: 'Ada' } }, /action must be one of/],
  ['no action', { content: { name: 'Ada' } }, /action must be one of/],
  ['null for an action', { action: null }, /action must be one of/],
  ['content that is no object', { action: 'accept', content: ['Ada'] }, /content must be an object/],
  ['the answer of a model', { role: 'assistant', content: { type: 'text', text: 'Ada' }, model: 'm' }, /action must/],
]

for (const [what, answer, fault] of WRONG) {
  t.test(`elicit: ${what} for an answer fails the call at once`, async t => {
    for (const options of [{}, { errorMessages: 'tool-errors' }] as const) {
      const app = await rack(t, greet, {}, options)

      const { result } = await ask(app, { inputResponses: { name: answer } }, await ask(app))

      t.match(result, { isError: true, content: [{ text: /^The answer to "name" cannot be used: / }] })
      t.match(result.content[0].text, fault)
    }
  })
}

for (const answer of ['Ada', 12345, null, [accept({ name: 'Ada' })]]) {
  t.test(
    `elicit: ${JSON.stringify(answer)} breaks the protocol where an answer is needed, and else is ignored`,
    async t => {
      for (const handler of [greet, (ctx: ToolContext) => Promise.resolve(greet(ctx, {})).catch(() => 'caught')]) {
        const app = await rack(t, handler)
        const first = await ask(app)

        const { error } = await ask(app, { inputResponses: { name: answer } }, first)
        t.match(error, { code: -32602, message: /inputResponses\["name"\] must be an object/ })
        const inputResponses = { name: accept({ name: 'Ada' }), other: answer }
        t.equal(textOf(await ask(app, { inputResponses }, first)), 'Hello Ada')
      }
    },
  )
}

t.test('elicit: a handler may catch that an answer cannot be used, in this round and in later ones', async t => {
  const app = await rack(t, async ctx => {
    const name = await ctx.elicit('name', form('name')).then(
      () => 'answered',
      error => error.name,
    )
    await ctx.elicit('two', form('b'))
    return name
  })

  const second = await ask(app, { inputResponses: { name: { action: 'maybe' } } }, await ask(app))
  const third = await ask(app, { inputResponses: { two: accept({ b: 'x' }) } }, second)

  t.strictSame(askedOf(second), ['two'])
  t.equal(textOf(third), 'Refused')
})

const NULLS: [what: string, params: Parameters<ToolContext['elicit']>[1], answer: object, seen: object][] = [
  ['decline', form('name'), { action: 'decline', content: null }, { action: 'decline' }],
  ['cancel', form('name'), { action: 'cancel', content: null, _meta: null }, { action: 'cancel' }],
  ['decline of a filled form', form('name'), { action: 'decline', content: { name: 5 } }, { action: 'decline' }],
  ['cancel, with a text for content', form('name'), { action: 'cancel', content: 'no' }, { action: 'cancel' }],
  ['accept of a form without fields', form(), { action: 'accept', content: null }, { action: 'accept' }],
  [
    'accept with an optional field',
    { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } } },
    accept({ a: 'x', b: null }),
    accept({ a: 'x' }),
  ],
]
const page = { mode: 'url' as const, message: 'Pay', url: 'https://pay.example/1' }
for (const action of ['accept', 'decline', 'cancel'])
  for (const content of [null, {}, { paid: true }])
    NULLS.push([`${action} of a page`, page, { action, content }, { action }])

for (const [what, params, answer, seen] of NULLS) {
  t.test(`elicit: ${what}, ${JSON.stringify(answer)}: null is absence, and only accept has content`, async t => {
    const app = await rack(t, async ctx => JSON.stringify(await ctx.elicit('q', params)))

    t.equal(textOf(await ask(app, { inputResponses: { q: answer } }, await ask(app))), JSON.stringify(seen))
  })
}

t.test('elicit: answers to what was not asked change nothing', async t => {
  const app = await rack(t, greet)
  const inputResponses = { other: accept({ name: 'Eve' }), constructor: { action: 'accept' } }

  t.strictSame(askedOf(await ask(app, { inputResponses }, await ask(app))), ['name'])
})

t.test('elicit: an answer that was given once is not changed by a later round', async t => {
  const app = await rack(t, async ctx => {
    const one = await ctx.elicit('one', form('a'))
    await ctx.elicit('two', form('b'))
    return one.content?.['a']
  })

  const second = await ask(app, { inputResponses: { one: accept({ a: 'first' }) } }, await ask(app))
  const forged = { one: accept({ a: 'forged' }), two: accept({ b: 'x' }) }

  t.equal(textOf(await ask(app, { inputResponses: forged }, second)), 'first')
})

t.test('elicit: a handler may change its arguments and the answers it got', async t => {
  const app = await rack(t, async (ctx, args) => {
    args['sku'] = String(args['sku']).trim()
    const one = await ctx.elicit('one', form('a'))
    const seen = one.content?.['a']
    if (one.content) one.content['a'] = 'changed'
    const two = await ctx.elicit('two', form('b'))
    return `${args['sku']} ${seen} ${two.content?.['b']}`
  })
  const round = { arguments: { sku: ' A1 ' } }

  const first = await ask(app, round)
  const second = await ask(app, { ...round, inputResponses: { one: accept({ a: 'x' }) } }, first)
  const third = await ask(app, { ...round, inputResponses: { two: accept({ b: 'y' }) } }, second)

  t.equal(textOf(third), 'A1 x y')
})
