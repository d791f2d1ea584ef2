// What is asked is what the specification allows; all else is its handler's error, and is asked of nobody.
import t from 'tap'
import { definePrompt } from '../../../src/index.ts'
import type { ElicitParams } from '../../../src/registry/form-types.ts'
import { build, call } from '../../support/app.ts'
import { ABLE, accept, ask, rack, textOf } from '../../support/input/rounds.ts'
import { FORMS, SAMPLES, TOOLED, URLS } from '../../support/input/unaskable.ts'
import { FORM, SAMPLING } from '../../support/wire/rich.ts'

const form = FORM as unknown as ElicitParams

for (const [what, question, text] of [...FORMS, ...URLS, ...SAMPLES, ...TOOLED]) {
  t.test(`${what} is the tool’s error, not a question`, async t => {
    const app = await rack(t, question)

    const { result } = await ask(app)

    t.match(result, { isError: true, content: [{ text }] })
    t.notOk('inputRequests' in result)
  })
}

t.test('a form of every kind of field is asked as it was written', async t => {
  const app = await rack(t, ctx => ctx.elicit('q', form))

  t.strictSame((await ask(app)).result.inputRequests.q.params, FORM)
})

t.test('a model is asked with everything that the specification knows', async t => {
  const app = await rack(t, ctx => ctx.sample('q', SAMPLING as never))

  t.strictSame((await ask(app)).result.inputRequests.q.params, SAMPLING)
})

t.test('one schema is compiled once, however often it is asked with', async t => {
  const schema = (kind: string) => ({ type: 'object', properties: { a: { type: kind } } })
  const app = await rack(t, async (ctx, { kind }) => {
    const { content } = await ctx.elicit('q', { message: 'm', requestedSchema: schema(String(kind)) } as never)
    return JSON.stringify(content)
  })
  const say = async (kind: string, a: unknown) => {
    const round = { arguments: { kind } }
    return ask(app, { ...round, inputResponses: { q: accept({ a }) } }, await ask(app, round))
  }

  t.equal(textOf(await say('string', 'x')), '{"a":"x"}')
  t.equal(textOf(await say('number', 1)), '{"a":1}')
  t.match((await say('string', 1)).result, { inputRequests: { q: {} } }, 'another schema is not taken for it')
})

t.test('a question of a prompt that may not be asked is its error', async t => {
  const prompt = definePrompt({ name: 'p', handler: async (_args, ctx) => FORMS[1]![1](ctx) as never })
  const app = await build(t, { prompts: [prompt] })

  const { error } = await call(app, 'prompts/get', { name: 'p' }, { capabilities: ABLE })

  t.match(error, { code: -32603, message: FORMS[1]![2] })
})
