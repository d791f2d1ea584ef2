import t from 'tap'
import { definePrompt, defineResource } from '../../../../src/index.ts'
import { connected } from '../../../support/client/app-client.ts'
import { accept, asking, form, sampled, sampling, textOf } from '../../../support/legacy/asking.ts'
import { LEGACY_VERSIONS } from '../../../support/wire/legacy.ts'

for (const revision of LEGACY_VERSIONS.filter(version => version !== '2024-10-07')) {
  t.test(`${revision}: the client's model is asked over the stream of the call`, async t => {
    const { client, call } = await asking(
      t,
      async ctx => {
        const { content } = await ctx.sample('reply', sampling)
        return `It said ${JSON.stringify(content)}`
      },
      { revision },
    )

    const question = await call.next(0)
    await client.answer(question, sampled)

    t.match(question, { method: 'sampling/createMessage', params: { maxTokens: 5 } })
    t.equal(await textOf(call), 'It said {"type":"text","text":"Hello"}')
  })

  t.test(`${revision}: the client is asked for its roots`, async t => {
    const { client, call } = await asking(
      t,
      async ctx => (await ctx.listRoots('roots')).roots.map(({ uri }) => uri).join(),
      { revision },
    )

    const question = await call.next(0)
    await client.answer(question, { roots: [{ uri: 'file:///home', name: 'home' }] })

    t.equal(question.method, 'roots/list')
    t.equal(await textOf(call), 'file:///home')
  })
}

t.test('a client that would not have its model asked has refused', async t => {
  const { client, call } = await asking(t, async ctx => JSON.stringify(await ctx.sample('reply', sampling)))

  await client.refuse(await call.next(0), 'User rejected sampling request')

  t.match((await call.last()).result, { isError: true, content: [{ text: /User rejected sampling request/ }] })
})

t.test('a client without a model, or without roots, is not asked', async t => {
  const capabilities = { elicitation: {} }
  const model = await asking(t, ctx => ctx.sample('reply', sampling), { capabilities })
  const roots = await asking(t, ctx => ctx.listRoots('roots'), { capabilities })

  t.match(await model.call.last(), { result: { isError: true, content: [{ text: /sampling/ }] } })
  t.match(await roots.call.last(), { result: { isError: true, content: [{ text: /roots/ }] } })
})

t.test('different kinds of questions are asked in one round', async t => {
  const { client, call } = await asking(t, async ctx => {
    const [name, reply, { roots }] = await Promise.all([
      ctx.elicit('name', form('name')),
      ctx.sample('reply', sampling),
      ctx.listRoots('roots'),
    ])
    return [name.content?.['name'], reply.model, roots.length].join()
  })
  const answers: Record<string, object> = {
    'elicitation/create': accept({ name: 'Ada' }),
    'sampling/createMessage': sampled,
    'roots/list': { roots: [] },
  }

  await call.next(2)
  for (const question of call.messages.slice(0, 3)) await client.answer(question, answers[question.method!]!)

  t.equal(await textOf(call), 'Ada,m,0')
})

t.test('a prompt may ask like a tool', async t => {
  const prompt = definePrompt({
    name: 'hello',
    async handler(_args, ctx) {
      const { content } = await ctx.elicit('name', form('name'))
      return `Say hello to ${content?.['name']}`
    },
  })
  const client = await connected(t, { prompts: [prompt] })
  const call = await client.post(client.request('prompts/get', { name: 'hello' }))

  await client.answer(await call.next(0), accept({ name: 'Ada' }))

  t.match((await call.last()).result.messages[0].content, { text: 'Say hello to Ada' })
})

t.test('a resource may ask like a tool', async t => {
  const resource = defineResource({
    uri: 'memo://mine',
    name: 'mine',
    handler: async (_uri, _variables, ctx) => (await ctx.listRoots('roots')).roots.map(({ uri }) => uri).join(),
  })
  const client = await connected(t, { resources: [resource] })
  const call = await client.post(client.request('resources/read', { uri: 'memo://mine' }))

  await client.answer(await call.next(0), { roots: [{ uri: 'file:///a' }] })

  t.match((await call.last()).result.contents, [{ text: 'file:///a' }])
})
