import t from 'tap'
import { definePrompt, defineResource, Type } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { ABLE, accept, ask, askedOf, form, greet, type Handler, rack, textOf } from '../../support/input/rounds.ts'

t.test('elicit: a question ends the call with input_required, and its answer runs it to the end', async t => {
  const app = await rack(t, greet)

  const first = await ask(app)
  const second = await ask(app, { inputResponses: { name: accept({ name: 'Ada' }) } }, first)

  t.equal(first.status, 200)
  t.equal(first.result.resultType, 'input_required')
  t.strictSame(first.result.inputRequests, {
    name: { method: 'elicitation/create', params: { mode: 'form', ...form('name') } },
  })
  t.type(first.result.requestState, 'string')
  t.equal(textOf(second), 'Hello Ada')
})

t.test('elicit: questions of one key keep their answers, in whatever order a later run asks', async t => {
  const rows = [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
    ['b', 'c', 'a'],
  ]
  let run = 0
  const app = await rack(t, async ctx => {
    const actions = rows[run++]!.map(async row => [row, (await ctx.elicit('sure', { ...form(), message: row })).action])
    const given = await Promise.all(actions)
    if (run === 2) await ctx.elicit('last', form())
    return given
      .map(pair => pair.join(' '))
      .sort()
      .join()
  })

  const first = await ask(app)
  const asked = Object.entries(first.result.inputRequests as Record<string, { params: { message: string } }>)
  const answers = asked.map(([key, { params }]) => [key, { action: params.message === 'a' ? 'accept' : 'decline' }])
  const second = await ask(app, { inputResponses: Object.fromEntries(answers) }, first)
  t.strictSame(askedOf(second), ['last'])
  const third = await ask(app, { inputResponses: { last: accept({}) } }, second)

  t.equal(textOf(third), 'a accept,b decline,c decline')
})

t.test('elicit: a handler runs from the top each round, with the answers so far', async t => {
  const runs: string[] = []
  const app = await rack(t, async ctx => {
    runs.push('top')
    const one = await ctx.elicit('one', form('a'))
    runs.push(`one ${one.content?.['a']}`)
    const two = await ctx.elicit('two', form('b'))
    return `${one.content?.['a']} ${two.content?.['b']}`
  })

  const first = await ask(app)
  const second = await ask(app, { inputResponses: { one: accept({ a: 'x' }) } }, first)
  const third = await ask(app, { inputResponses: { two: accept({ b: 'y' }) } }, second)

  t.strictSame([askedOf(first), askedOf(second)], [['one'], ['two']])
  t.equal(textOf(third), 'x y')
  t.strictSame(runs, ['top', 'top', 'one x', 'top', 'one x'])
})

const three: Handler = async ctx => {
  const answers = await Promise.all(['a', 'b', 'c'].map(key => ctx.elicit(key, form(key))))
  return answers.map(({ content }, index) => content?.[['a', 'b', 'c'][index]!]).join(' ')
}

t.test('elicit: questions that are asked together are asked in one round', async t => {
  const app = await rack(t, three)

  const first = await ask(app)
  const inputResponses = { a: accept({ a: '1' }), b: accept({ b: '2' }), c: accept({ c: '3' }) }

  t.strictSame(askedOf(first), ['a', 'b', 'c'])
  t.equal(textOf(await ask(app, { inputResponses }, first)), '1 2 3')
})

t.test('elicit: only what is missing is asked again', async t => {
  const app = await rack(t, three)

  const first = await ask(app)
  const second = await ask(app, { inputResponses: { b: accept({ b: '2' }) } }, first)
  const third = await ask(app, { inputResponses: { a: accept({ a: '1' }) } }, second)
  const last = await ask(app, { inputResponses: { c: accept({ c: '3' }) } }, third)

  t.strictSame([askedOf(second), askedOf(third)], [['a', 'c'], ['c']])
  t.equal(textOf(last), '1 2 3')
})

t.test('elicit: a round without any answer asks all again', async t => {
  const app = await rack(t, three)

  t.strictSame(askedOf(await ask(app, {}, await ask(app))), ['a', 'b', 'c'])
})

t.test('elicit: a handler that catches its question is asked for the answer all the same', async t => {
  const app = await rack(t, async ctx => {
    const name = await ctx.elicit('name', form('name')).catch(() => undefined)
    return name?.content?.['name'] ?? 'nobody'
  })

  const first = await ask(app)

  t.strictSame(askedOf(first), ['name'])
  t.equal(textOf(await ask(app, { inputResponses: { name: accept({ name: 'Ada' }) } }, first)), 'Ada')
})

t.test('elicit: so it is where the handler throws another error in its place', async t => {
  const app = await rack(t, ctx =>
    ctx.elicit('name', form('name')).catch(cause => {
      throw new Error('could not ask', { cause })
    }),
  )

  t.strictSame(askedOf(await ask(app)), ['name'])
})

t.test('elicit: a handler that takes its context apart can ask', async t => {
  const app = await rack(t, async ({ elicit }) => (await elicit('name', form('name'))).action)

  t.strictSame(askedOf(await ask(app)), ['name'])
})

t.test('elicit: a URL is asked for where the client can open one, and needs no content', async t => {
  const app = await rack(t, async ctx => {
    const params = { mode: 'url' as const, message: 'Sign in', url: 'https://x.example/in' }
    return (await ctx.elicit('in', params)).action
  })

  const first = await ask(app)

  t.match(first.result.inputRequests.in.params, { mode: 'url', url: 'https://x.example/in' })
  t.equal(textOf(await ask(app, { inputResponses: { in: { action: 'accept' } } }, first)), 'accept')
})

t.test('elicit: a question after progress is asked on the stream', async t => {
  const app = await rack(t, async ctx => {
    ctx.progress(1)
    return greet(ctx, {})
  })

  const first = await ask(app, {}, undefined, { meta: { progressToken: 1 } })

  t.match(first.headers['content-type'], /^text\/event-stream/)
  t.equal(first.notifications.length, 1)
  t.strictSame(askedOf(first), ['name'])
})

t.test('elicit: the state tells nothing of the answers in it', async t => {
  const app = await rack(t, three)

  const { result } = await ask(app, { inputResponses: { a: accept({ a: 'very-private' }) } })

  t.notMatch(Buffer.from(result.requestState, 'base64url').toString('latin1'), 'very-private')
  t.notMatch(app.logs.text, 'very-private')
})

t.test('elicit: prompts and resources can ask as well', async t => {
  const prompt = definePrompt({
    name: 'greeting',
    handler: async (_args, ctx) => `Hello ${(await ctx.elicit('name', form('name'))).content?.['name']}`,
  })
  const resource = defineResource({
    uri: 'a:b',
    name: 'greeting',
    handler: async (_uri, _variables, ctx) => `Hello ${(await ctx.elicit('name', form('name'))).content?.['name']}`,
  })
  const app = await build(t, { prompts: [prompt], resources: [resource] })
  const inputResponses = { name: accept({ name: 'Ada' }) }

  for (const [method, params] of [
    ['prompts/get', { name: 'greeting' }],
    ['resources/read', { uri: 'a:b' }],
  ] as const) {
    const first = await call(app, method, params, { capabilities: ABLE })
    const { requestState } = first.result
    const second = await call(app, method, { ...params, requestState, inputResponses }, { capabilities: ABLE })
    const incapable = await call(app, method, params)

    t.strictSame(askedOf(first), ['name'])
    t.match(JSON.stringify(second.result), 'Hello Ada')
    t.match(incapable, { status: 400, error: { code: -32021 } })
  }
})

t.test('elicit: arguments of a schema stay as they are asked for', async t => {
  const app = await rack(t, async (ctx, args) => `${args['sku']} ${(await ctx.elicit('q', form('a'))).action}`, {
    inputSchema: Type.Object({ sku: Type.String() }),
  })
  const round = { arguments: { sku: 'A1' } }

  const reply = await ask(app, { ...round, inputResponses: { q: { action: 'cancel' } } }, await ask(app, round))

  t.equal(textOf(reply), 'A1 cancel')
})
