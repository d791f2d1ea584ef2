import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ask, askedOf, form, greet, type Handler, rack, textOf } from '../../support/input/rounds.ts'

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
