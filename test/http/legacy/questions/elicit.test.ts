import t from 'tap'
import { open } from '../../../support/client/app-client.ts'
import { NEWEST } from '../../../support/client/client.ts'
import { accept, asking, form, greet, sampling, textOf } from '../../../support/legacy/asking.ts'
import type { Handler } from '../../../support/steered-tools.ts'

const ASKED = { method: 'elicitation/create', params: form('name') }

for (const revision of [NEWEST, '2025-06-18']) {
  t.test(`${revision}: a question comes over the stream of the call, and its answer as a POST`, async t => {
    const { client, call } = await asking(t, greet, { revision })

    const question = await call.next(0)
    const told = await client.answer(question, accept({ name: 'Ada' }))

    t.match(question, ASKED)
    t.strictSame([told.status, told.text], [202, ''])
    t.equal(await textOf(call), 'Hello Ada')
    t.equal(call.messages.length, 2)
  })
}

for (const action of ['decline', 'cancel']) {
  t.test(`the user may ${action}`, async t => {
    const { client, call } = await asking(t, greet)

    await client.answer(await call.next(0), { action })

    t.equal(await textOf(call), `No name: ${action}`)
  })
}

t.test('no question comes over a stream of news', async t => {
  const { client, call } = await asking(t, greet)
  const news = await client.listen()
  await news.event(0)

  await client.answer(await call.next(0), accept({ name: 'Ada' }))
  await call.ended

  t.strictSame(news.messages, [])
})

t.test('an answer that breaks the schema of the question is asked for again', async t => {
  const { client, call } = await asking(t, greet)

  for (const [index, odd] of [accept({}), accept({ name: 7 }), accept({ name: '' })].entries()) {
    await client.answer(await call.next(index), odd)
  }
  await client.answer(await call.next(3), accept({ name: 'Ada' }))

  t.equal(await textOf(call), 'Hello Ada')
  const ids = call.messages.slice(0, 4).map(({ id }) => id)
  t.equal(new Set(ids).size, 4)
})

t.test('the same wrong answer a second time fails the call', async t => {
  const { client, call } = await asking(t, greet)

  await client.answer(await call.next(0), accept({ name: 7 }))
  await client.answer(await call.next(1), accept({ name: 7 }))

  t.equal(await textOf(call), 'The answer to "name" cannot be used: name must be string')
  t.equal(call.messages.length, 3)
})

const pay = { mode: 'url' as const, message: 'Pay', url: 'https://pay.example/1' }
const HOPELESS: [what: string, handler: Handler, answer: unknown, text: RegExp][] = [
  ['a form', greet, { action: 'reject' }, /"name" cannot be used: action must be one of accept, decline, cancel/],
  ['a form', greet, {}, /"name" cannot be used: action must be/],
  ['a page', ctx => ctx.elicit('pay', pay), { action: 'reject' }, /"pay" cannot be used: action must be/],
  ['consent', ctx => ctx.confirm('Wipe it?'), { action: 'yes' }, /"Wipe it\?" cannot be used: action must be/],
  ['a model', ctx => ctx.sample('m', sampling), { role: 'assistant' }, /"m" cannot be used: result/],
  [
    'roots',
    ctx => ctx.listRoots('r'),
    { roots: [{ uri: 'vscode-remote://a/b' }] },
    /"r" cannot be used: result\.roots\.0\.uri/,
  ],
  ['roots', ctx => ctx.listRoots('r'), { roots: null }, /"r" cannot be used: result/],
]

for (const [what, handler, answer, text] of HOPELESS) {
  t.test(`an answer for ${what} that cannot get better, ${JSON.stringify(answer)}, fails the call at once`, async t => {
    const { client, call } = await asking(t, handler)

    await client.answer(await call.next(0), answer as object)

    t.match((await call.last()).result, { isError: true, content: [{ text }] })
    t.equal(call.messages.length, 2)
  })
}

const NULLS: [what: string, handler: Handler, answer: object, text: RegExp][] = [
  ['a declined consent', ctx => ctx.confirm('Wipe it?'), { action: 'decline', content: null }, /has not agreed/],
  ['a cancelled consent', ctx => ctx.confirm('Wipe it?'), { action: 'cancel', content: null }, /has not agreed/],
  ['consent', ctx => ctx.confirm('Wipe it?').then(() => 'wiped'), { action: 'accept', content: null }, /^wiped$/],
  ['a declined form', greet, { action: 'decline', content: null }, /^No name: decline$/],
  ['a page', async ctx => (await ctx.elicit('pay', pay)).action, { action: 'accept', content: null }, /^accept$/],
]

for (const [what, handler, answer, text] of NULLS) {
  t.test(`${what} with null for its content is asked for once`, async t => {
    const { client, call } = await asking(t, handler)

    await client.answer(await call.next(0), answer)

    t.match(await textOf(call), text)
    t.equal(call.messages.length, 2)
  })
}

t.test('a client that answers with an error has refused, and the tool can say so', async t => {
  const { client, call } = await asking(t, greet)

  await client.refuse(await call.next(0), 'the user is asleep')

  t.match((await call.last()).result, { isError: true, content: [{ text: /the user is asleep/ }] })
})

t.test('a tool may catch that its client has refused, and go on', async t => {
  const { client, call } = await asking(t, ctx =>
    ctx.elicit('name', form('name')).then(
      () => 'answered',
      error => `${error.name}: ${error.message}`,
    ),
  )

  await client.refuse(await call.next(0), 'not now')

  t.match(await textOf(call), /Refused: .*not now/)
})

t.test('questions that are asked together are asked in one round, and answered in any order', async t => {
  let runs = 0
  const { client, call } = await asking(t, async ctx => {
    runs++
    const answers = await Promise.all(['a', 'b', 'c'].map(key => ctx.elicit(key, form(key))))
    return answers.map(({ content }) => JSON.stringify(content)).join(' ')
  })

  await call.next(2)
  for (const index of [2, 0, 1]) {
    const question = call.messages[index]!
    const [name] = Object.keys(question.params.requestedSchema.properties)
    await client.answer(question, accept({ [name!]: `${index}` }))
  }

  t.equal(await textOf(call), '{"a":"0"} {"b":"1"} {"c":"2"}')
  t.equal(runs, 2)
})

t.test('the handler runs from the top each round, with the answers so far', async t => {
  const runs: string[] = []
  const { client, call } = await asking(t, async ctx => {
    runs.push('top')
    const one = await ctx.elicit('one', form('a'))
    runs.push('one')
    const two = await ctx.elicit('two', form('b'))
    return `${one.content?.['a']} ${two.content?.['b']}`
  })

  await client.answer(await call.next(0), accept({ a: 'x' }))
  await client.answer(await call.next(1), accept({ b: 'y' }))

  t.equal(await textOf(call), 'x y')
  t.strictSame(runs, ['top', 'top', 'one', 'top', 'one'])
})

t.test('a call asks in at most ten rounds', async t => {
  const { client, call } = await asking(t, async ctx => {
    for (let round = 0; ; round++) await ctx.elicit(`q${round}`, form('a'))
  })

  for (let round = 0; round < 10; round++) await client.answer(await call.next(round), accept({ a: 'x' }))

  t.match((await call.last()).result, { isError: true, content: [{ text: /more than 10 rounds/ }] })
  t.equal(call.messages.length, 11)
})

t.test('an answer from another session is not taken', async t => {
  const { client, call } = await asking(t, greet)
  const stranger = await open(t, client.app)
  const question = await call.next(0)

  const told = await stranger.answer(question, accept({ name: 'Eve' }))
  await client.answer(question, accept({ name: 'Ada' }))

  t.equal(told.status, 202)
  t.equal(await textOf(call), 'Hello Ada')
})

t.test('only the first answer counts', async t => {
  const { client, call } = await asking(t, greet)
  const question = await call.next(0)

  const told = [
    await client.answer(question, accept({ name: 'Ada' })),
    await client.answer(question, accept({ name: 'Eve' })),
    await client.refuse(question, 'no'),
  ]

  t.equal(await textOf(call), 'Hello Ada')
  t.ok(told.every(({ status }) => status === 202))
})

t.test('a client that takes no stream cannot be asked, and is told so', async t => {
  const { client } = await asking(t, greet)

  const reply = await client.call('tools/call', { name: 'asker' }, { accept: 'application/json' })

  t.match(reply.error, { message: /text\/event-stream/ })
})

t.test('a client that did not declare it cannot be asked', async t => {
  const { call } = await asking(t, greet, { capabilities: {} })

  t.match(await call.last(), { result: { isError: true, content: [{ text: /elicitation\.form/ }] } })
})

t.test('2025-06-18: a client cannot be asked by URL', async t => {
  const { call } = await asking(
    t,
    ctx => ctx.elicit('pay', { mode: 'url', message: 'Pay', url: 'https://pay.example/1' }),
    { revision: '2025-06-18' },
  )

  t.match(await call.last(), { result: { isError: true, content: [{ text: /elicitation\.url/ }] } })
})

t.test('2025-11-25: a question by URL has an id', async t => {
  const { client, call } = await asking(t, async ctx => {
    const { action } = await ctx.elicit('pay', { mode: 'url', message: 'Pay', url: 'https://pay.example/1' })
    return action
  })

  const question = await call.next(0)
  await client.answer(question, { action: 'accept' })

  t.match(question.params, { mode: 'url', url: 'https://pay.example/1', elicitationId: /./ })
  t.equal(await textOf(call), 'accept')
})
