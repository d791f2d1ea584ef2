// Plain HTTP: what a tool asks is a 409 with its form; the answers go to the URL that it names.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { ALICE, guarded, OTHERS } from '../../support/auth/guarded.ts'
import { PROBLEM, plain, problemOf } from '../../support/plain.ts'

const schema = { type: 'object' as const, properties: { action: { type: 'string' as const } }, required: ['action'] }
const asks = defineTool({
  name: 'asks',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  async handler(args, ctx) {
    const { action, content } = await ctx.elicit('what', { message: 'What to do?', requestedSchema: schema })
    return `${(args as { n: number }).n} ${action} ${JSON.stringify(content)}`
  },
})
const opens = defineTool({
  name: 'opens',
  async handler(_args, ctx) {
    const { action } = await ctx.elicit('page', {
      mode: 'url',
      message: 'Sign in.',
      url: 'https://a.example/',
      elicitationId: 'e1',
    } as never)
    return action
  },
})
const agrees = defineTool({
  name: 'agrees',
  async handler(_args, ctx) {
    await ctx.confirm('Delete it?')
    return 'deleted'
  },
})

t.test('a question: 409 with the form, and the request that answers it', async t => {
  const app = await build(t, { tools: [asks] })

  const asked = await plain(app, '/tools/asks', { form: 'n=1' })

  t.strictSame(
    [asked.status, asked.type, problemOf(asked.body), asked.body.detail],
    [409, PROBLEM, 'question', 'What to do?'],
  )
  t.strictSame(asked.body.questions, [{ key: 'what', mode: 'form', message: 'What to do?', schema }])
  const { method, url, body } = asked.body.answer
  t.strictSame([method, url, body.arguments, body.answers], ['POST', '/tools/asks/answers', { n: 1 }, { what: {} }])
  const json = { ...body, answers: { what: { action: 'cancel' } } }
  const answered = await plain(app, url, { json, headers: { accept: 'text/plain' } })
  t.strictSame([answered.status, answered.text], [200, '1 accept {"action":"cancel"}'])
})

t.test('a text as the answer is what the user does with the question', async t => {
  const app = await build(t, { tools: [asks, opens, agrees] })
  const answer = async (name: string, said: unknown) => {
    const { answer } = (await plain(app, `/tools/${name}`, { method: 'POST' })).body
    const [key] = Object.keys(answer.body.answers) as [string]
    const reply = await plain(app, answer.url, {
      json: { ...answer.body, answers: { [key]: said } },
      headers: { accept: 'text/plain' },
    })
    return [reply.status, reply.status === 200 ? reply.text : problemOf(reply.body)]
  }

  t.strictSame(await answer('asks', 'decline'), [200, 'undefined decline undefined'])
  t.strictSame(await answer('asks', 'cancel'), [200, 'undefined cancel undefined'])
  t.strictSame(await answer('asks', { action: 1 }), [409, 'question'])
  t.strictSame(await answer('asks', 'nonsense'), [409, 'question'])
  t.strictSame(await answer('opens', 'accept'), [200, 'accept'])
  t.strictSame(await answer('agrees', {}), [200, 'deleted'])
  t.strictSame(await answer('agrees', true), [200, 'deleted'])
  t.strictSame(await answer('agrees', false), [422, 'tool-error'])
})

t.test('a question that is asked again says what was wrong with the answer', async t => {
  const app = await build(t, { tools: [asks] })
  const again = async (answer: unknown) => {
    const { url, body } = (await plain(app, '/tools/asks', { method: 'POST' })).body.answer
    const [key] = Object.keys(body.answers)
    const { status, body: problem } = await plain(app, url, { json: { ...body, answers: { [key!]: answer } } })
    t.equal(status, 409)
    return problem.errors
  }

  t.strictSame(await again({ action: 5 }), [{ pointer: '#/answers/what/action', detail: 'must be string' }])
  for (const answer of ['nonsense', 5, null, ['a']])
    t.match(await again(answer), [{ pointer: '#/answers/what', detail: /accept, decline or cancel/ }])
  t.notOk('errors' in (await plain(app, '/tools/asks', { method: 'POST' })).body)
})

t.test('a page that the user has to open stands in the question', async t => {
  const { body } = await plain(await build(t, { tools: [opens] }), '/tools/opens', { method: 'POST' })

  t.strictSame(body.questions, [{ key: 'page', mode: 'url', message: 'Sign in.', url: 'https://a.example/' }])
  t.strictSame(body.answer.body.answers, { page: 'accept' })
})

t.test('an answer belongs to its caller, its tool and its arguments', async t => {
  const app = await guarded(t, { plainHttp: true })
  const { answer } = (await plain(app, '/tools/asks', { method: 'POST', headers: ALICE })).body
  const send = (more: object, headers: Record<string, string> = ALICE, url = answer.url) =>
    plain(app, url, { json: { ...answer.body, answers: { word: { word: 'a' } }, ...more }, headers })

  for (const headers of Object.values(OTHERS)) t.equal((await send({}, headers)).status, 400)
  t.equal((await send({ arguments: { other: 1 } })).status, 422)
  t.equal((await send({ state: `${answer.body.state}x` })).status, 400)
  t.equal((await send({}, ALICE, '/tools/free/answers')).status, 400)
  t.match((await send({})).text, /alice/)
  t.equal((await send({})).status, 400, 'a state counts once')
})

t.test('an answer in another shape is refused', async t => {
  const app = await build(t, { tools: [asks] })

  for (const json of [
    {},
    [],
    'a',
    { state: 'a' },
    { state: 1, answers: {} },
    { state: 'a', answers: [] },
    { state: 'a', answers: {}, args: {} },
  ])
    t.equal((await plain(app, '/tools/asks/answers', { json })).status, 400, JSON.stringify(json))
  t.equal((await plain(app, '/tools/asks/answers', { method: 'POST' })).status, 400)
  const form = await plain(app, '/tools/asks/answers', { form: 'state=a' })
  t.strictSame([form.status, form.body.detail], [415, 'answers are JSON, not a form'])
  t.equal((await plain(app, '/tools/tasks/x/answers', { form: 'state=a' })).status, 415)
})

t.test('what plain HTTP cannot give is said: 501', async t => {
  const samples = defineTool({
    name: 'samples',
    handler: (_args, ctx) =>
      ctx.sample('a', { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }) as never,
  })
  const roots = defineTool({ name: 'roots', handler: (_args, ctx) => ctx.listRoots('a') as never })
  const app = await build(t, { tools: [samples, roots] })

  for (const [name, capability] of [
    ['samples', 'sampling'],
    ['roots', 'roots'],
  ] as const) {
    const { status, body } = await plain(app, `/tools/${name}`, { method: 'POST' })
    t.strictSame([status, problemOf(body)], [501, 'missing-capability'])
    t.ok(capability in body.requiredCapabilities)
    t.match(body.hint, /Use an MCP client/)
  }
})
