import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { definePrompt, defineResource, defineTool, type ToolContext, Type } from '../../src/index.ts'
import { build, call } from '../helper.ts'
import { ABLE, accept, ask, askedOf, form, textOf } from './rounds.ts'

type Handler = (ctx: ToolContext, args: Record<string, unknown>) => unknown

function rack(t: Parameters<typeof build>[0], handler: Handler, more: object = {}) {
  const inputSchema = { type: 'object' }
  const tool = defineTool({ name: 'asker', inputSchema, ...more, handler: (args, ctx) => handler(ctx, args) })
  return build(t, { tools: [tool] })
}

const greet: Handler = async ctx => {
  const { action, content } = await ctx.elicit('name', form('name'))
  return action === 'accept' ? `Hello ${content?.['name']}` : `No name: ${action}`
}

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

for (const action of ['decline', 'cancel']) {
  t.test(`elicit: ${action} is an answer`, async t => {
    const app = await rack(t, greet)

    const reply = await ask(app, { inputResponses: { name: { action } } }, await ask(app))

    t.equal(textOf(reply), `No name: ${action}`)
  })
}

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

t.test('elicit: so it is where the handler throws another error in its place, or does not await it', async t => {
  const wraps = await rack(t, ctx =>
    ctx.elicit('name', form('name')).catch(cause => {
      throw new Error('could not ask', { cause })
    }),
  )
  const forgets = await rack(t, ctx => {
    ctx.elicit('name', form('name'))
    return 'done'
  })

  t.strictSame(askedOf(await ask(wraps)), ['name'])
  t.strictSame(askedOf(await ask(forgets)), ['name'])
})

t.test('elicit: a handler that takes its context apart can ask', async t => {
  const app = await rack(t, async ({ elicit }) => (await elicit('name', form('name'))).action)

  t.strictSame(askedOf(await ask(app)), ['name'])
})

const WRONG: [what: string, answer: unknown][] = [
  ['an action that is none', { action: 'maybe' }],
  ['no action', { content: { name: 'Ada' } }],
  ['no content', { action: 'accept' }],
  ['content that lacks what is required', accept({})],
  ['content of another type', accept({ name: 5 })],
  ['content past its bounds', accept({ name: '' })],
  ['content that is no object', { action: 'accept', content: ['Ada'] }],
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

t.test('elicit: a URL is asked for where the client can open one, and needs no content', async t => {
  const app = await rack(t, async ctx => {
    const params = { mode: 'url' as const, message: 'Sign in', url: 'https://x.example/in' }
    return (await ctx.elicit('in', params)).action
  })

  const first = await ask(app)

  t.match(first.result.inputRequests.in.params, { mode: 'url', url: 'https://x.example/in' })
  t.equal(textOf(await ask(app, { inputResponses: { in: { action: 'accept' } } }, first)), 'accept')
})

const INCAPABLE: [what: string, capabilities: object, isUrl: boolean, required: object][] = [
  ['nothing', {}, false, { elicitation: { form: {} } }],
  ['URLs only, for a form', { elicitation: { url: {} } }, false, { elicitation: { form: {} } }],
  ['forms only, for a URL', { elicitation: { form: {} } }, true, { elicitation: { url: {} } }],
  ['forms as of old, for a URL', { elicitation: {} }, true, { elicitation: { url: {} } }],
]

for (const [what, capabilities, isUrl, requiredCapabilities] of INCAPABLE) {
  t.test(`elicit: a client that can do ${what} is refused with -32021 and what it would need`, async t => {
    let runs = 0
    const app = await rack(t, async ctx => {
      runs++
      const url = { mode: 'url' as const, message: 'x', url: 'https://x.example' }
      await ctx.elicit('q', isUrl ? url : form('a')).catch(() => {})
      return 'went on'
    })

    const reply = await ask(app, {}, undefined, { capabilities })

    t.equal(reply.status, 400)
    t.match(reply.error, { code: -32021, data: { requiredCapabilities } })
    t.equal(runs, 1)
  })
}

t.test('elicit: an empty elicitation capability can do forms', async t => {
  const app = await rack(t, greet)

  t.strictSame(askedOf(await ask(app, {}, undefined, { capabilities: { elicitation: {} } })), ['name'])
})

t.test('elicit: a tool that asks nothing needs no capability', async t => {
  const app = await rack(t, async (ctx, args) => (args['ask'] ? ctx.elicit('q', form('a')) : 'quiet'))

  t.equal(textOf(await ask(app, {}, undefined, { capabilities: {} })), 'quiet')
})

const UNASKABLE: [what: string, ask: Handler, text: RegExp][] = [
  ['a key that is empty', ctx => ctx.elicit('', form('a')), /key of a question must be/],
  ['a key that is too long', ctx => ctx.elicit('k'.repeat(129), form('a')), /key of a question must be/],
  ['a key that is none', ctx => ctx.elicit(5 as unknown as string, form('a')), /key of a question must be/],
  [
    'more than 32 questions',
    ctx => Promise.all(Array.from({ length: 33 }, (_, index) => ctx.elicit(`k${index}`, form('a')))),
    /more than 32/,
  ],
]

for (const [what, handler, text] of UNASKABLE) {
  t.test(`elicit: ${what} is the tool’s error`, async t => {
    const app = await rack(t, handler)

    const { result } = await ask(app)

    if (what.startsWith('more')) t.equal(askedOf({ result } as never).length, 32)
    else t.match(result, { isError: true, content: [{ text }] })
  })
}

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

t.test('elicit: a handler that hangs after its question times out', async t => {
  const app = await rack(
    t,
    async ctx => {
      await ctx.elicit('name', form('name')).catch(() => {})
      await sleep(5000, undefined, { signal: ctx.signal, ref: false })
    },
    { timeout: 30 },
  )

  t.match((await ask(app)).result, { isError: true, content: [{ text: /timed out/ }] })
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
