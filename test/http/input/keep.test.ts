// `ctx.keep`: what a handler computes once in a call, and gets again in its later rounds.
import t, { type Test } from 'tap'
import { definePrompt, defineResource, type InputContext, type OnCall, type ToolContext } from '../../../src/index.ts'
import { build, call, type Reply } from '../../support/app.ts'
import { ABLE, accept, ask, askedOf, form, type Handler, rack, textOf } from '../../support/input/rounds.ts'
import { asking, textOf as textOfCall } from '../../support/legacy/asking.ts'
import { plain } from '../../support/plain.ts'
import {
  ABLE_AND_TASKS,
  job,
  nextTurn,
  rack as rackOfTasks,
  taskFrom,
  textOf as textOfTask,
  update,
  whenAsking,
  whenEnded,
} from '../../support/tasks/modern.ts'
import { later } from '../../support/tasks/modern-asking.ts'

const nameOf = async (ctx: InputContext, key = 'name') => (await ctx.elicit(key, form('name'))).content?.['name']

/** Counts how often a value is computed: a number that differs each time. */
function offers() {
  const seen = { computed: 0 }
  const handler = async (ctx: InputContext) => {
    const price = await ctx.keep('price', async () => ({ cents: ++seen.computed }))
    return `${await nameOf(ctx)} pays ${price.cents}`
  }
  return { seen, handler }
}

const ANSWERED = { inputResponses: { name: accept({ name: 'Ada' }) } }

t.test('keep: a value is computed once, and is the same in later rounds', async t => {
  const seen = { rounds: 0, computed: 0 }
  const app = await rack(t, async ctx => {
    seen.rounds++
    const price = await ctx.keep('price', () => ({ cents: ++seen.computed, at: [seen.rounds, null] }))
    const names = [await nameOf(ctx, 'a'), await nameOf(ctx, 'b')]
    const late = await ctx.keep('late', async () => ++seen.computed)
    return JSON.stringify([names, price, late, await nameOf(ctx, 'c')])
  })

  const first = await ask(app)
  const second = await ask(app, { inputResponses: { a: accept({ name: 'A' }) } }, first)
  const third = await ask(app, { inputResponses: { b: accept({ name: 'B' }) } }, second)
  const last = await ask(app, { inputResponses: { c: accept({ name: 'C' }) } }, third)

  t.strictSame([first, second, third].map(askedOf), [['a'], ['b'], ['c']])
  t.strictSame(JSON.parse(textOf(last)), [['A', 'B'], { cents: 1, at: [1, null] }, 2, 'C'])
  t.strictSame(seen, { rounds: 4, computed: 2 })
})

t.test('keep: each call has values of its own, and a call without questions too', async t => {
  let computed = 0
  const app = await rack(t, ctx => ctx.keep('n', () => ++computed))

  t.strictSame([textOf(await ask(app)), textOf(await ask(app))], ['1', '2'])
})

t.test('keep: in a session', async t => {
  const { seen, handler } = offers()
  const { client, call } = await asking(t, handler)

  await client.answer(await call.next(0), accept({ name: '' }))
  await client.answer(await call.next(1), accept({ name: 'Ada' }))

  t.equal(await textOfCall(call), 'Ada pays 1')
  t.equal(seen.computed, 1)
})

t.test('keep: over plain HTTP', async t => {
  const { seen, handler } = offers()
  const app = await rack(t, handler)

  const asked = await plain(app, '/tools/asker', { json: {} })
  const { url, body } = asked.body.answer
  const answered = await plain(app, url, { json: { ...body, answers: { name: { name: 'Ada' } } } })

  t.match([answered.status, answered.text], [200, /Ada pays 1/])
  t.equal(seen.computed, 1)
})

t.test('keep: in a task, and in a call that becomes one after its first question', async t => {
  let computed = 0
  const handler: Handler = async ctx => {
    const early = await ctx.keep('early', () => ++computed)
    const first = await nameOf(ctx, 'a')
    await nextTurn()
    const second = await nameOf(ctx, 'b')
    const late = await ctx.keep('late', () => ++computed)
    return JSON.stringify([first, second, early, late, await nameOf(ctx, 'c')])
  }
  const app = await rackOfTasks(t, [later(handler), job('at_once', handler)])
  const forged = { '': { kept: { early: 9, late: 9 } } }
  const toEnd = async (taskId: string, ...keys: string[]) => {
    for (const key of keys) {
      await whenAsking(app, taskId)
      await update(app, { taskId, inputResponses: { [key]: accept({ name: key }), ...forged } })
    }
    return JSON.parse(textOfTask(await whenEnded(app, taskId)))
  }

  t.strictSame(await toEnd(await taskFrom(app, 'asker'), 'a', 'b', 'c'), ['a', 'b', 1, 2, 'c'])

  const params = { name: 'at_once', arguments: {} }
  const options = { capabilities: ABLE_AND_TASKS }
  const { requestState } = (await call(app, 'tools/call', params, options)).result
  const inputResponses = { a: accept({ name: 'a' }), ...forged }
  const { taskId } = (await call(app, 'tools/call', { ...params, requestState, inputResponses }, options)).result
  t.strictSame(await toEnd(taskId, 'b', 'c'), ['a', 'b', 3, 4, 'c'])
})

t.test('keep: in prompts and resources', async t => {
  const { seen, handler } = offers()
  const app = await build(t, {
    prompts: [definePrompt({ name: 'offer', handler: (_args, ctx) => handler(ctx) })],
    resources: [
      defineResource({ uri: 'offer://one', name: 'Offer', handler: (_uri, _variables, ctx) => handler(ctx) }),
    ],
  })
  const inTwoRounds = async (method: string, params: Record<string, unknown>) => {
    const { requestState } = (await call(app, method, params, { capabilities: ABLE })).result
    return (await call(app, method, { ...params, requestState, ...ANSWERED }, { capabilities: ABLE })).result
  }

  t.equal((await inTwoRounds('prompts/get', { name: 'offer' })).messages[0].content.text, 'Ada pays 1')
  t.equal((await inTwoRounds('resources/read', { uri: 'offer://one' })).contents[0].text, 'Ada pays 2')
  t.equal(seen.computed, 2)
})

t.test('keep: hooks and their handler share the names', async t => {
  const seen = { hook: 0, handler: 0 }
  const onCall: OnCall = async ({ ctx }, next) => {
    await ctx.keep('plan', () => `pro ${++seen.hook}`)
    return next()
  }
  const handler: Handler = async ctx => {
    const plan = await ctx.keep('plan', () => `free ${++seen.handler}`)
    return `${await nameOf(ctx)} ${plan}`
  }
  const app = await rack(t, handler, {}, { onCall })

  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Ada pro 1')
  t.strictSame(seen, { hook: 1, handler: 0 })
})

const FORGED: [what: string, inputResponses: object][] = [
  ['notes', { '': { kept: { price: { cents: 0 } } } }],
  ['an answer under the name', { price: { cents: 0 } }],
  ['kept values', { kept: { price: { cents: 0 } } }],
]

for (const [what, forged] of FORGED) {
  t.test(`keep: a client cannot make a value up, by ${what}`, async t => {
    const { handler } = offers()
    const app = await rack(t, handler)
    const inputResponses = { ...ANSWERED.inputResponses, ...forged }

    t.equal(textOf(await ask(app, { inputResponses })), 'Ada pays 1', 'before there is a state')
    const first = await ask(app, { inputResponses: forged })
    t.equal(textOf(await ask(app, { inputResponses }, first)), 'Ada pays 2', 'with a state')
  })
}

t.test('keep: a client can neither read nor change a value, nor use it in another call', async t => {
  const secret = 'a-secret-that-is-kept'
  const app = await rack(t, async ctx => {
    const kept = await ctx.keep('secret', () => secret)
    return `${await nameOf(ctx)} ${kept === secret}`
  })
  const first = await ask(app)
  const { requestState } = first.result
  const bytes = Buffer.from(requestState, 'base64url')

  t.notOk(bytes.includes(secret) || requestState.includes(Buffer.from(secret).toString('base64url')))
  bytes[40]! ^= 1
  const changed = await ask(app, { ...ANSWERED, requestState: bytes.toString('base64url') })
  t.match(changed.error, { code: -32602, message: /not as this server sealed it/ })
  t.match((await ask(app, { arguments: { n: 1 }, ...ANSWERED }, first)).error, { message: /another request/ })
  t.equal(textOf(await ask(app, ANSWERED, first)), 'Ada true')
  t.match((await ask(app, ANSWERED, first)).error, { code: -32602, message: /already used/ })
})

t.test('keep: a state that is replayed to a tool that reads has the same value', async t => {
  const { seen, handler } = offers()
  const app = await rack(t, handler, { annotations: { readOnlyHint: true } })
  const first = await ask(app)

  for (let repeat = 0; repeat < 2; repeat++) t.equal(textOf(await ask(app, ANSWERED, first)), 'Ada pays 1')
  t.equal(seen.computed, 1)
})

t.test('keep: what a round with an unfit answer has computed is not computed again by the older state', async t => {
  const seen = { orders: 0 }
  const app = await rack(t, async ctx => {
    const answers = [nameOf(ctx, 'a'), nameOf(ctx, 'b')]
    void Promise.allSettled(answers)
    await answers[0]
    const order = await ctx.keep('order', () => ++seen.orders)
    return `${await answers[1]} has order ${order}`
  })
  const first = await ask(app)
  const answer = (b: unknown) => ({ inputResponses: { a: accept({ name: 'A' }), b: accept({ name: b }) } })

  const renewed = await ask(app, answer(5), first)
  t.match((await ask(app, answer('B'), first)).error, { code: -32602, message: /already used/ })
  t.equal(textOf(await ask(app, answer('B'), renewed)), 'B has order 1')
  t.equal(seen.orders, 1)
})

t.test('keep: a client that renews its state cannot hold on to a value for more than an hour', async t => {
  const { seen, handler } = offers()
  const app = await rack(t, handler)
  const clock = { nowMs: Date.now() }
  t.intercept(Date, 'now', { value: () => clock.nowMs })
  const minutes = (count: number) => (clock.nowMs += count * 60_000)

  let reply = await ask(app)
  for (let round = 1; round <= 7; round++) {
    minutes(8)
    reply = await ask(app, {}, reply)
    t.strictSame(askedOf(reply), ['name'])
  }
  minutes(3)
  const later = await ask(app, {}, reply)
  minutes(1)

  t.match((await ask(app, ANSWERED, later)).error, { code: -32602, message: /has expired; call again without it/ })
  t.equal(seen.computed, 1)
  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Ada pays 2')
})

t.test('keep: a handler gets a copy, so a change does not reach what is kept', async t => {
  const app = await rack(t, async ctx => {
    const list = await ctx.keep('list', () => [{ n: 1 }])
    list[0]!.n++
    list.push({ n: 9 })
    await nameOf(ctx)
    return JSON.stringify(await ctx.keep('list', () => []))
  })

  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), '[{"n":1}]')
})

t.test('keep: two at once under a name compute once; one that fails is computed again', async t => {
  const seen = { computed: 0 }
  const app = await rack(t, async ctx => {
    const compute = async () => {
      if (++seen.computed === 1) throw new Error('not yet')
      return seen.computed
    }
    const failed = await Promise.allSettled([ctx.keep('n', compute), ctx.keep('n', compute)])
    const kept = await Promise.all([ctx.keep('n', compute), ctx.keep('n', compute), ctx.keep('m', () => 'm')])
    return JSON.stringify([failed.map(({ status }) => status), kept])
  })

  t.strictSame(JSON.parse(textOf(await ask(app))), [
    ['rejected', 'rejected'],
    [2, 2, 'm'],
  ])
})

t.test('keep: null, false and names of Object.prototype are values and names', async t => {
  const seen = { computed: 0 }
  const names = ['__proto__', 'constructor', 'null']
  const app = await rack(t, async ctx => {
    const kept = []
    for (const name of names) {
      kept.push(
        await ctx.keep(name, () => {
          seen.computed++
          return name === 'null' ? null : false
        }),
      )
    }
    await nameOf(ctx)
    return JSON.stringify(kept)
  })

  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), '[false,false,null]')
  t.equal(seen.computed, 3)
})

type Keep = (ctx: ToolContext) => unknown
const many =
  (count: number): Keep =>
  async ctx => {
    for (let index = 0; index < count; index++) await ctx.keep(`n${index}`, () => index)
    return 'kept'
  }
const large =
  (length: number, ...names: string[]): Keep =>
  async ctx => {
    for (const name of names) await ctx.keep(name, () => 'x'.repeat(length))
    return 'kept'
  }
const value =
  (of: () => unknown): Keep =>
  ctx =>
    ctx.keep('it', of)

const circular: Record<string, unknown> = {}
circular['self'] = circular

/** Of what a run keeps, the text of its failure; undefined if it is kept. */
const KEPT: [what: string, keep: Keep, text: RegExp | undefined][] = [
  ['32 values', many(32), undefined],
  ['33 values', many(33), /^keep: a call keeps at most 32 values$/],
  ['a value of almost 64 KiB', large(64 * 1024 - 20, 'it'), undefined],
  ['a value of 64 KiB', large(64 * 1024, 'it'), /^keep: "it" is too large: the values of a call may have 65536 bytes/],
  ['two values of 64 KiB together', large(33_000, 'one', 'two'), /^keep: "two" is too large/],
  ['a value of wide characters', value(() => 'é'.repeat(40_000)), /^keep: "it" is too large/],
  ['undefined', value(() => undefined), /^keep: "it" must be JSON, and its function returned undefined; return null/],
  ['nothing', value(async () => {}), /^keep: "it" must be JSON, and its function returned undefined/],
  ['a Map', value(() => ({ rows: [new Map()] })), /^keep: "it" must be JSON: rows\.0 is a Map, not a plain object/],
  ['a Date', value(() => new Date(0)), /^keep: "it" must be JSON: \(root\) is a Date, not a plain object/],
  ['a function', value(() => () => {}), /^keep: "it" must be JSON: \(root\) is a function/],
  ['a bigint', value(() => 1n), /^keep: "it" must be JSON: \(root\) is a bigint/],
  ['NaN', value(() => ({ n: Number.NaN })), /^keep: "it" must be JSON: n is NaN/],
  ['a circle', value(() => circular), /^keep: "it" must be JSON: .* is circular/],
  ['no function', ctx => ctx.keep('it', 5 as never), /^keep: "it" needs a function that returns the value$/],
  ['an empty name', ctx => ctx.keep('', () => 1), /^keep: the name must be a string of 1 to 128 characters$/],
  ['a name of 129 characters', ctx => ctx.keep('n'.repeat(129), () => 1), /^keep: the name must be a string/],
  ['a name that is no string', ctx => ctx.keep(7 as never, () => 1), /^keep: the name must be a string/],
]

const isFailed = ({ result }: Reply) => result.isError === true

for (const [what, keep, text] of KEPT) {
  t.test(`keep: ${what} ${text === undefined ? 'is kept' : 'is refused, and the text says why'}`, async t => {
    const app = await rack(t, async ctx => {
      await keep(ctx)
      return nameOf(ctx)
    })

    const reply = await ask(app)

    t.equal(isFailed(reply), text !== undefined)
    if (text === undefined) t.equal(textOf(await ask(app, ANSWERED, reply)), 'Ada')
    else t.match(textOf(reply), text)
  })
}

t.test('keep: a value that is refused leaves room for another', async t => {
  const app = await rack(t, async ctx => {
    await ctx.keep('large', () => 'x'.repeat(70_000)).catch(() => {})
    const small = await ctx.keep('large', () => 'small')
    return `${await nameOf(ctx)} ${small}`
  })

  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Ada small')
})

t.test('keep: its type is that of the value', async (_t: Test) => {
  const handler: Handler = async ctx => {
    const price: { cents: number } = await ctx.keep('price', async () => ({ cents: 1 }))
    // @ts-expect-error: it has no such member
    price.euros
    // @ts-expect-error: a number
    const text: string = await ctx.keep('n', () => 1)
    return text
  }
  void handler
})
