// A forgotten `await` before a question: the call fails, and the log says in which line.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { definePrompt, defineResource, type ToolContext } from '../../../src/index.ts'
import { type App, build, call, callTool } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { ABLE, accept, ask, askedOf, form, type Handler, rack, textOf } from '../../support/input/rounds.ts'
import { asking, textOf as saidOf } from '../../support/legacy/asking.ts'
import { textOf as endOf, taskFrom, rack as taskRack, whenEnded } from '../../support/tasks/modern.ts'
import { later } from '../../support/tasks/modern-asking.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const page = { mode: 'url' as const, message: 'Pay', url: 'https://pay.example/1' }
const model = { messages: [], maxTokens: 1 }
const sure = async (ctx: ToolContext) => ctx.confirm('Sure?')

/** A handler that calls, does not wait, and returns. */
const forgetting =
  (act: (ctx: ToolContext) => unknown): Handler =>
  async ctx => {
    act(ctx)
    return 'done'
  }

const FORGOTTEN: [what: string, question: string, handler: Handler][] = [
  ['of consent', 'confirm', forgetting(ctx => ctx.confirm('Sure?'))],
  ['of a form', 'elicit', forgetting(ctx => ctx.elicit('name', form('name')))],
  ['of a page', 'elicit', forgetting(ctx => ctx.elicit('pay', page))],
  ['of a model', 'sample', forgetting(ctx => ctx.sample('m', model))],
  ['of roots', 'listRoots', forgetting(ctx => ctx.listRoots('r'))],
  ['in a function of its own', 'confirm', forgetting(sure)],
  ['with `then` alone', 'confirm', forgetting(ctx => ctx.confirm('Sure?').then(() => {}))],
  ['with `finally` alone', 'confirm', forgetting(ctx => ctx.confirm('Sure?').finally(() => {}))],
  ['in a list', 'confirm', forgetting(ctx => Promise.all([ctx.confirm('Sure?'), ctx.confirm('Really?')]))],
  [
    'in a handler that is not async',
    'confirm',
    ctx => {
      void ctx.confirm('Sure?')
      return 'done'
    },
  ],
  [
    'in a function of its own, with work after it',
    'confirm',
    async ctx => {
      void sure(ctx)
      await nextTurn()
      return 'done'
    },
  ],
  [
    'beside one that is awaited and caught',
    'elicit',
    async ctx => {
      void ctx.elicit('name', form('name'))
      await ctx.confirm('Sure?').catch(() => {})
      return 'done'
    },
  ],
]

const faults = (app: App) => app.logs.lines.filter(({ msg }) => /threw|unhandled|handler failed/.test(String(msg)))
const HERE = /^forgotten\.test\.ts:\d+:\d+$/

for (const [what, question, handler] of FORGOTTEN) {
  t.test(`a forgotten await ${what} fails the call, and the log says where`, async t => {
    const app = await rack(t, handler, {}, { errorMessages: 'tool-errors' })

    const { result } = await ask(app)

    const text = new RegExp(`did not wait for it, .*ctx\\.${question} was called without await`)
    t.match(result, { isError: true, content: [{ text }] })
    t.match(faults(app), [{ level: 50, tool: 'asker', reason: text, at: HERE }])
    t.equal(faults(app).length, 1)
  })
}

t.test('a function without await that asks only after the handler has returned: the log says where', async t => {
  const late = async (ctx: ToolContext) => {
    await sleep(5)
    await ctx.confirm('Sure?')
  }
  for (const capabilities of [ABLE, {}]) {
    const app = await rack(t, forgetting(late))

    t.equal(textOf(await ask(app, {}, undefined, { capabilities })), 'done')

    await eventually(() => faults(app).length > 0, 'a line')
    t.match(faults(app), [{ level: 50, tool: 'asker', at: HERE }])
    t.match(String(faults(app)[0]?.err?.message ?? faults(app)[0]?.reason), /ctx\.confirm was called without await/)
  }
})

t.test('a rejection that is wrapped in another is that of the question', async t => {
  const wrapping = async (ctx: ToolContext) => {
    try {
      await ctx.confirm('Sure?')
    } catch (cause) {
      throw new Error('not sure', { cause })
    }
  }
  const app = await rack(t, forgetting(wrapping))

  const { result } = await ask(app)

  t.match(result, { isError: true, content: [{ text: /ctx\.confirm was called without await/ }] })
})

t.test('a handler that asks again and again in one run ends at its deadline, and holds nobody up', async t => {
  const insisting: Handler = async ctx => {
    for (;;) {
      try {
        await ctx.confirm('Sure?')
        return 'done'
      } catch {}
    }
  }
  const repeating: Handler = async ctx => {
    for (;;) {
      const { content } = await ctx.elicit('name', form('name'))
      if (content?.['name'] !== 'Ada') continue
      return 'done'
    }
  }
  for (const handler of [insisting, repeating]) {
    const app = await rack(t, handler, { timeout: 200 })

    const { result } = await ask(app, { inputResponses: { name: accept({ name: 'Bob' }) } })

    t.match(result, { isError: true, content: [{ text: /asked more than 1000 times|did not finish|timed out|200/ }] })
  }
})

t.test('in a session: the client is not asked, and nothing is done twice', async t => {
  let acts = 0
  const { call } = await asking(t, async ctx => {
    void ctx.confirm('Wipe it?')
    acts++
    return 'wiped'
  })

  t.match(await saidOf(call), /needs the consent of the user and did not wait for it/)
  t.equal(call.messages.length, 1)
  t.equal(acts, 1)
})

t.test('a declined consent that nobody takes fails the call', async t => {
  for (const act of [(ctx: ToolContext) => ctx.confirm('Sure?'), sure]) {
    const app = await rack(t, forgetting(act))

    for (const action of ['decline', 'cancel', 'accept']) {
      const { result } = await ask(app, { inputResponses: { 'Sure?': { action } } })
      const isFine = action === 'accept' && act === sure
      if (!isFine)
        t.match(result, { isError: true, content: [{ text: /ctx\.confirm was called without await/ }] }, action)
    }
  }
})

t.test('a client that cannot be asked: the call fails, and no confirmation is offered', async t => {
  const app = await rack(t, forgetting(sure))

  const { result } = await ask(app, {}, undefined, { capabilities: {} })

  t.match(result, { isError: true, content: [{ text: /ctx\.confirm was called without await$/ }] })
  t.match(faults(app), [{ at: HERE }])
})

const AWAITED: [what: string, handler: Handler, keys: string[]][] = [
  [
    'a caught question',
    async ctx => {
      try {
        await ctx.elicit('name', form('name'))
      } catch {}
      return 'done'
    },
    ['name'],
  ],
  ['a question with `catch`', ctx => ctx.confirm('Sure?').catch(() => 'no'), ['Sure?']],
  [
    'a question with `then` for both',
    ctx =>
      ctx.confirm('Sure?').then(
        () => true,
        () => false,
      ),
    ['Sure?'],
  ],
  ['a returned question', ctx => ctx.listRoots('r'), ['r']],
  ['a question of a function that is awaited', async ctx => sure(ctx), ['Sure?']],
  ['a raced question', async ctx => Promise.race([ctx.confirm('Sure?').catch(() => {}), nextTurn()]), ['Sure?']],
  [
    'questions that are asked together, and awaited one by one',
    async ctx => {
      const [one, two] = [ctx.elicit('one', form('a')), ctx.elicit('two', form('b'))]
      return [await one, await two]
    },
    ['one', 'two'],
  ],
  ['questions with allSettled', ctx => Promise.allSettled([ctx.confirm('A?'), ctx.confirm('B?')]), ['A?', 'B?']],
]

for (const [what, handler, keys] of AWAITED) {
  t.test(`${what} is asked`, async t => {
    const app = await rack(t, handler)

    t.strictSame(askedOf(await ask(app)), keys)
    t.strictSame(faults(app), [])
  })
}

t.test('an error that comes before anybody waits for the question is the result', async t => {
  const app = await rack(t, async ctx => {
    const name = ctx.elicit('name', form('name'))
    if (ctx.requestId !== '') throw new Error('the shop is closed')
    return name
  })

  t.match((await ask(app)).result, { isError: true, content: [{ text: 'the shop is closed' }] })
})

t.test('a hook that forgets it fails the call', async t => {
  const app = await rack(
    t,
    () => 'done',
    {},
    {
      onCall: ({ ctx }, next) => {
        void ctx.confirm('Sure?')
        return next()
      },
    },
  )

  t.match((await ask(app)).result, { isError: true, content: [{ text: /ctx\.confirm was called without await/ }] })
})

t.test('a prompt and a resource fail in the same way', async t => {
  const prompt = definePrompt({
    name: 'p',
    handler: (_args, ctx) => {
      void ctx.elicit('name', form('name'))
      return 'done'
    },
  })
  const resource = defineResource({
    uri: 'memo://r',
    name: 'r',
    handler: async (_uri, _variables, ctx) => {
      void (async () => ctx.listRoots('roots'))()
      return 'done'
    },
  })
  const app = await build(t, { prompts: [prompt], resources: [resource] })

  const got = await call(app, 'prompts/get', { name: 'p' }, { capabilities: ABLE })
  const read = await call(app, 'resources/read', { uri: 'memo://r' }, { capabilities: ABLE })

  t.match(got.error, { message: /ctx\.elicit was called without await/ })
  t.match(read.error, { message: /ctx\.listRoots was called without await/ })
  t.match(faults(app), [
    { name: 'p', at: HERE },
    { name: 'memo://r', at: HERE },
  ])
})

t.test('a task fails in the same way', async t => {
  const app = await taskRack(t, [later(forgetting(ctx => ctx.confirm('Sure?')))])

  const task = await whenEnded(app, await taskFrom(app, 'asker'))

  t.equal(task.result.isError, true)
  t.match(endOf(task), /ctx\.confirm was called without await/)
})

t.test('an isolated tool fails in the same way, and asks what it awaits', async t => {
  const { path } = tempFolder(t, {
    'isolated.mjs': `const tool = (name, handler) => ({ name, isolate: true, handler })
export const forgets = tool('forgets', async (_args, ctx) => { ctx.confirm('Sure?'); return 'done' })
export const calls = tool('calls', async (_args, ctx) => { (async () => { await ctx.confirm('Sure?') })(); return 'done' })
export const catches = tool('catches', async (_args, ctx) => ctx.confirm('Sure?').catch(() => 'no'))
export default [forgets, calls, catches]`,
  })
  const app = await build(t, { toolsDir: path })
  const options = { capabilities: ABLE }

  for (const name of ['forgets', 'calls'])
    t.match(await callTool(app, name, {}, options), {
      isError: true,
      content: [{ text: /ctx\.confirm was called without/ }],
    })
  t.match(faults(app), [{ at: /^isolated\.mjs:2:/ }, { at: /^isolated\.mjs:3:/ }])
  t.match(await call(app, 'tools/call', { name: 'catches' }, options), { result: { resultType: 'input_required' } })
})

t.test('a question that is awaited and declined ends the call as ever', async t => {
  const app = await rack(t, async ctx => (await ctx.elicit('name', form('name'))).content?.['name'])

  t.equal(textOf(await ask(app, { inputResponses: { name: accept({ name: 'Ada' }) } }, await ask(app))), 'Ada')
})
