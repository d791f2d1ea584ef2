// Plain HTTP: what a tool asks is a 409 with its form; the answers go to the URL that it names.
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { type App, build } from '../../../../test/support/app.ts'
import { ALICE, guarded, OTHERS } from '../../../../test/support/auth/guarded.ts'
import { PROBLEM, plain, problemOf } from '../../../../test/support/plain.ts'

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
  const json = { ...body, answers: { what: { action: 'accept', content: { action: 'cancel' } } } }
  const answered = await plain(app, url, { json, headers: { accept: 'text/plain' } })
  t.strictSame([answered.status, answered.text], [200, '1 accept {"action":"cancel"}'])
})

const optional = defineTool({
  name: 'optional',
  async handler(_args, ctx) {
    const requestedSchema = { type: 'object' as const, properties: { note: { type: 'string' }, n: { type: 'number' } } }
    const { action, content } = await ctx.elicit('note', { message: 'A note?', requestedSchema })
    return `${action} ${JSON.stringify(content)}`
  },
})

/** Calls a tool, and answers its one question. */
async function answered(app: App, name: string, said: unknown) {
  const { answer } = (await plain(app, `/tools/${name}`, { method: 'POST' })).body
  const [key] = Object.keys(answer.body.answers) as [string]
  const json = { ...answer.body, answers: { [key]: said } }
  return plain(app, answer.url, { json, headers: { accept: 'text/plain' } })
}

const NOT_AGREED = [422, 'tool-error', undefined]
const NOT_UNDERSTOOD = [422, 'invalid-answers', '#/answers/']

const ANSWERS: [tool: string, said: unknown, outcome: readonly unknown[] | string][] = [
  ['asks', 'decline', 'undefined decline undefined'],
  ['asks', 'cancel', 'undefined cancel undefined'],
  ['asks', { action: 'cancel' }, 'undefined cancel undefined'],
  ['asks', { action: 'go' }, 'undefined accept {"action":"go"}'],
  ['asks', { action: 1 }, NOT_UNDERSTOOD],
  ['asks', { action: 'go', more: 1 }, NOT_UNDERSTOOD],
  ['asks', true, NOT_UNDERSTOOD],
  ['asks', {}, NOT_UNDERSTOOD],
  ['optional', {}, 'accept {}'],
  ['optional', true, 'accept undefined'],
  ['optional', { note: 'a', n: null }, 'accept {"note":"a"}'],
  ['optional', { action: 'accept', content: { note: 'a' } }, 'accept {"note":"a"}'],
  ['optional', { action: 'accept', content: null }, 'accept undefined'],
  ['optional', { action: 'decline' }, 'decline undefined'],
  ['optional', { action: 'decline', content: { note: 5, other: 1 } }, 'decline undefined'],
  ['optional', { action: 'decline', content: null, _meta: {} }, 'decline undefined'],
  ['optional', { note: 5 }, NOT_UNDERSTOOD],
  ['optional', { action: 'reject' }, NOT_UNDERSTOOD],
  ['optional', { action: 'accept', content: { action: 'decline' } }, NOT_UNDERSTOOD],
  ['optional', { action: 'accept', content: 'a' }, NOT_UNDERSTOOD],
  ['optional', { action: 'accept', note: 'a' }, NOT_UNDERSTOOD],
  ['optional', { action: 'decline', note: 'a' }, NOT_UNDERSTOOD],
  ['optional', { content: { note: 'a' } }, NOT_UNDERSTOOD],
  ['opens', 'accept', 'accept'],
  ['opens', true, 'accept'],
  ['opens', { action: 'accept' }, 'accept'],
  ['opens', { action: 'accept', content: {} }, 'accept'],
  ['opens', { action: 'decline' }, 'decline'],
  ['opens', false, 'decline'],
  ['opens', {}, NOT_UNDERSTOOD],
  ['opens', { done: 'no' }, NOT_UNDERSTOOD],
  ['agrees', {}, 'deleted'],
  ['agrees', true, 'deleted'],
  ['agrees', 'accept', 'deleted'],
  ['agrees', { action: 'accept' }, 'deleted'],
  ['agrees', { action: 'accept', content: null }, 'deleted'],
  ['agrees', false, NOT_AGREED],
  ['agrees', 'decline', NOT_AGREED],
  ['agrees', { action: 'decline' }, NOT_AGREED],
  ['agrees', { action: 'cancel' }, NOT_AGREED],
  ['agrees', { action: 'decline', content: {} }, NOT_AGREED],
  ['agrees', { action: 'cancel', content: null }, NOT_AGREED],
  ['agrees', { answer: 'no' }, NOT_UNDERSTOOD],
  ['agrees', { answer: null }, NOT_UNDERSTOOD],
  ['agrees', { action: 'DECLINE' }, NOT_UNDERSTOOD],
  ['agrees', { action: null }, NOT_UNDERSTOOD],
  ['agrees', { Action: 'decline' }, NOT_UNDERSTOOD],
  ['agrees', { confirm: false }, NOT_UNDERSTOOD],
  ['agrees', { action: 'accept', content: { sure: false } }, NOT_UNDERSTOOD],
  ['agrees', 'no', NOT_UNDERSTOOD],
  ['agrees', 'Accept', NOT_UNDERSTOOD],
  ['agrees', '', NOT_UNDERSTOOD],
  ['agrees', 1, NOT_UNDERSTOOD],
  ['agrees', null, NOT_UNDERSTOOD],
  ['agrees', ['accept'], NOT_UNDERSTOOD],
]

for (const [tool, said, outcome] of ANSWERS) {
  t.test(`${tool} is answered by ${JSON.stringify(said)}: ${outcome}`, async t => {
    const { status, text } = await answered(await build(t, { tools: [asks, optional, opens, agrees] }), tool, said)

    if (typeof outcome === 'string') return t.strictSame([status, text], [200, outcome])
    const { type, errors } = JSON.parse(text)
    t.strictSame([status, problemOf({ type }), errors?.[0].pointer.slice(0, 10)], outcome)
  })
}

t.test('what no question takes is refused before the tool runs, so the state still counts', async t => {
  let runs = 0
  const counted = defineTool({
    ...agrees,
    handler(args, ctx) {
      runs++
      return agrees.handler(args, ctx)
    },
  })
  const app = await build(t, { tools: [counted] })
  const { url, body } = (await plain(app, '/tools/agrees', { method: 'POST' })).body.answer
  const send = (answers: object) => plain(app, url, { json: { ...body, answers }, headers: { accept: 'text/plain' } })

  const refused = await send({ 'Delete it?': 'yes', other: 5 })

  t.equal(refused.status, 422)
  t.strictSame(refused.body.errors, [
    { pointer: '#/answers/Delete%20it?', detail: 'must be the fields of the form, or accept, decline or cancel' },
    { pointer: '#/answers/other', detail: 'must be the fields of the form, or accept, decline or cancel' },
  ])
  t.equal(runs, 1)
  t.equal((await send({ 'Delete it?': true })).text, 'deleted')
})

t.test('an answer that does not fit its form: 422 with the errors, the question and a new state', async t => {
  const app = await build(t, { tools: [asks, optional, opens] })
  const errorsOf = async (tool: string, said: unknown) => JSON.parse((await answered(app, tool, said)).text).errors

  t.strictSame(await errorsOf('asks', { action: 5 }), [{ pointer: '#/answers/what/action', detail: 'must be string' }])
  t.strictSame(await errorsOf('asks', true), [{ pointer: '#/answers/what/action', detail: 'is required' }])
  t.strictSame(await errorsOf('optional', { action: 'accept', content: { other: 1 } }), [
    { pointer: '#/answers/note/content/other', detail: 'is not a field of the form' },
  ])
  t.strictSame(await errorsOf('optional', { action: 'accept', content: { n: 'a' } }), [
    { pointer: '#/answers/note/content/n', detail: 'must be number' },
  ])
  t.strictSame(await errorsOf('opens', {}), [
    { pointer: '#/answers/page', detail: 'must be accept, decline or cancel' },
  ])
  const { questions, answer } = JSON.parse((await answered(app, 'asks', {})).text)
  t.match(questions, [{ key: 'what', mode: 'form', schema }])
  const again = await plain(app, answer.url, { json: { ...answer.body, answers: { what: { action: 'go' } } } })
  t.equal(again.status, 200)
  t.notOk('errors' in (await plain(app, '/tools/asks', { method: 'POST' })).body)
})

t.test('a state survives an answer that does not fit, and then one of both states counts', async t => {
  const app = await build(t, { tools: [asks] })
  const { answer } = (await plain(app, '/tools/asks', { method: 'POST' })).body
  const send = (state: string, action: unknown) =>
    plain(app, answer.url, { json: { ...answer.body, state, answers: { what: { action } } } })

  for (const unfit of [5, 6]) t.equal((await send(answer.body.state, unfit)).status, 422)
  const again = await send(answer.body.state, 7)
  t.equal((await send(answer.body.state, 'go')).status, 200)
  for (const state of [answer.body.state, again.body.answer.body.state]) t.equal((await send(state, 'go')).status, 400)
})

t.test('a page that the user has to open stands in the question', async t => {
  const { body } = await plain(await build(t, { tools: [opens] }), '/tools/opens', { method: 'POST' })

  t.strictSame(body.questions, [{ key: 'page', mode: 'url', message: 'Sign in.', url: 'https://a.example/' }])
  t.strictSame(body.answer.body.answers, { page: null })
})

t.test('the body of an answer, sent unchanged, is a yes to no question', async t => {
  const app = await build(t, { tools: [asks, optional, opens, agrees] })

  for (const name of ['asks', 'optional', 'opens', 'agrees']) {
    const { answer } = (await plain(app, `/tools/${name}`, { method: 'POST' })).body
    const { status, body } = await plain(app, answer.url, { json: answer.body })
    t.strictSame([status, problemOf(body)], [422, 'invalid-answers'], name)
  }
})

t.test('an answer belongs to its caller, its tool and its arguments', async t => {
  const app = await guarded(t, { plainHttp: true })
  const { answer } = (await plain(app, '/tools/asks', { method: 'POST', headers: ALICE })).body
  const send = (more: object, headers: Record<string, string> = ALICE, url = answer.url) =>
    plain(app, url, { json: { ...answer.body, answers: { word: { word: 'a' } }, ...more }, headers })

  for (const headers of Object.values(OTHERS)) t.equal((await send({}, headers)).status, 400)
  t.equal((await send({ arguments: { other: 1 } })).status, 422)
  t.equal((await send({ arguments: { about: 'another' } })).status, 400)
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
