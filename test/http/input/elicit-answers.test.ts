import t from 'tap'
import { accept, ask, askedOf, form, greet, rack, textOf } from '../../support/input/rounds.ts'

for (const action of ['decline', 'cancel']) {
  t.test(`elicit: ${action} is an answer`, async t => {
    const app = await rack(t, greet)

    const reply = await ask(app, { inputResponses: { name: { action } } }, await ask(app))

    t.equal(textOf(reply), `No name: ${action}`)
  })
}

const WRONG: [what: string, answer: unknown][] = [
  ['an action that is none', { action: 'maybe' }],
  ['no action', { content: { name: 'Ada' } }],
  ['no content', { action: 'accept' }],
  ['content that lacks what is required', accept({})],
  ['content of another type', accept({ name: 5 })],
  ['content past its bounds', accept({ name: '' })],
  ['content that is no object', { action: 'accept', content: ['Ada'] }],
  ['content that nobody asked for and no form holds', accept({ name: 'Ada', more: { nested: true } })],
  ['a text', 'Ada'],
  ['null', null],
  ['the answer of a model', { role: 'assistant', content: { type: 'text', text: 'Ada' }, model: 'm' }],
]

for (const [what, answer] of WRONG) {
  t.test(`elicit: ${what} for an answer is asked for again`, async t => {
    const app = await rack(t, greet)

    const second = await ask(app, { inputResponses: { name: answer } }, await ask(app))
    const third = await ask(app, { inputResponses: { name: accept({ name: 'Ada' }) } }, second)

    t.strictSame(askedOf(second), ['name'])
    t.equal(textOf(third), 'Hello Ada')
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
