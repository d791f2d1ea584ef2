// Plain HTTP: a call that takes long becomes a task, which its caller polls, answers and cancels.
import t from 'tap'
import { defineTool, ToolError, Type } from '../../../../src/index.ts'
import { type App, build } from '../../../../test/support/app.ts'
import { ALICE, guarded, OTHERS } from '../../../../test/support/auth/guarded.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { plain, problemOf } from '../../../../test/support/plain.ts'

const ASYNC = { prefer: 'respond-async' }

/** A tool that ends when it is told to. */
function held(task: 'optional' | 'required' | 'forbidden' = 'optional', name = 'held') {
  let end: (value: unknown) => void = () => {}
  const released = new Promise<unknown>(resolve => (end = resolve))
  let isCancelled = false
  const tool = defineTool({
    name,
    task,
    async handler(_args, { signal }) {
      signal.addEventListener('abort', () => (isCancelled = true))
      const value = await released
      if (value instanceof Error) throw value
      return value
    },
  })
  return { tool, end, isCancelled: () => isCancelled }
}

const start = (app: App, headers: Record<string, string> = {}, name = 'held') =>
  plain(app, `/tools/${name}`, { method: 'POST', headers: { ...ASYNC, ...headers } })

/** Polls a task to its end. @returns the answer that has it */
async function pollToEnd(app: App, url: string) {
  let answer!: Awaited<ReturnType<typeof plain>>
  const hasEnded = async () => {
    answer = await plain(app, url)
    return answer.status !== 202
  }
  await eventually(hasEnded, 'it has ended')
  return answer
}

t.test('Prefer: respond-async makes a task, polled until it has a result', async t => {
  const { tool, end } = held()
  const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })

  const begun = await start(app)

  t.equal(begun.status, 202)
  t.equal(begun.headers['preference-applied'], 'respond-async')
  t.equal(begun.headers['retry-after'], '1')
  const url = String(begun.headers['location'])
  t.equal(url, `/tools/tasks/${begun.body.id}`)
  t.match(begun.body, { status: 'working', url })
  const polled = await plain(app, url)
  t.strictSame([polled.status, polled.body.status, polled.headers['retry-after']], [202, 'working', '1'])
  end('finished')
  t.equal((await pollToEnd(app, url)).status, 200)
  t.equal((await plain(app, url, { headers: { accept: 'text/plain' } })).text, 'finished')
  t.equal((await plain(app, url, { headers: { accept: 'image/png' } })).status, 406)
})

t.test('it makes a task at once, of a call that ends at once too; what it asks is a question of the task', async t => {
  const quick = defineTool({
    name: 'quick',
    task: 'optional',
    inputSchema: Type.Object({ by: Type.String() }),
    async handler({ by }, { elicit }) {
      const requestedSchema = { type: 'object' as const, properties: { count: { type: 'integer' as const } } }
      const { content } = await elicit('count', { message: 'How many?', requestedSchema })
      return `${content?.count} by ${by}`
    },
  })
  const app = await build(t, { tools: [quick] })
  const call = (json: object) => plain(app, '/tools/quick', { headers: ASYNC, json })

  t.equal((await call({ by: 5 })).status, 422)
  const begun = await call({ by: 'Ada' })
  t.strictSame([begun.status, begun.headers['preference-applied']], [202, 'respond-async'])
  const url = String(begun.headers['location'])
  await eventually(async () => (await plain(app, url)).body.questions !== undefined, 'it asks')
  const [{ key }] = (await plain(app, url)).body.questions
  await plain(app, `${url}/answers`, { json: { answers: { [key]: { count: 3 } } } })
  t.equal((await pollToEnd(app, url)).status, 200)
  t.equal((await plain(app, url, { headers: { accept: 'text/plain' } })).text, '3 by Ada')
})

t.test('without it, a call is waited for; other preferences count for nothing', async t => {
  for (const prefer of [undefined, 'return=minimal', 'respond-asynchronous', 'wait=5']) {
    const { tool, end } = held()
    const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })
    end('done')
    const { status, headers } = await plain(app, '/tools/held', {
      method: 'POST',
      headers: prefer === undefined ? {} : { prefer },
    })
    t.strictSame([status, 'preference-applied' in headers], [200, false], String(prefer))
  }
})

t.test('a tool without tasks answers at once, although the client prefers a task', async t => {
  const { tool, end } = held('forbidden')
  end('done')
  const { status, headers } = await start(await build(t, { tools: [tool], tasks: { inlineMs: 0 } }))

  t.strictSame([status, 'preference-applied' in headers], [200, false])
})

t.test('a tool that has to be a task is one, without any preference', async t => {
  const { tool, end } = held('required')
  const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })

  const begun = await plain(app, '/tools/held', { method: 'POST' })

  t.strictSame([begun.status, 'preference-applied' in begun.headers], [202, false])
  end(new ToolError('No paper'))
  const url = begun.body.url
  const ended = await pollToEnd(app, url)
  t.strictSame([ended.status, problemOf(ended.body), ended.body.detail], [422, 'tool-error', 'No paper'])
})

t.test('a task ends with the problem that the call would have had, and is not to be asked again', async t => {
  const required = { task: 'required' as const }
  const tools = [
    defineTool({
      ...required,
      name: 'slow',
      timeout: 1,
      handler: (_args, { signal }) => new Promise(resolve => signal.addEventListener('abort', resolve)),
    }),
    defineTool({
      ...required,
      name: 'broken',
      outputSchema: Type.Object({ a: Type.Number() }),
      handler: async () => ({ a: 'x' }) as never,
    }),
    defineTool({
      ...required,
      name: 'thinks',
      handler: (_args, { sample }) => sample('s', { messages: [], maxTokens: 1 }) as Promise<never>,
    }),
  ]
  const app = await build(t, { tools, tasks: { inlineMs: 0 } })

  for (const [name, status, problem] of [
    ['slow', 504, 'timed-out'],
    ['broken', 500, 'invalid-output'],
    ['thinks', 501, 'missing-capability'],
  ] as const) {
    const { url } = (await plain(app, `/tools/${name}`, { method: 'POST' })).body
    await eventually(async () => (await plain(app, url)).status !== 202, 'it has ended')
    const ended = await plain(app, url)
    t.strictSame([ended.status, problemOf(ended.body)], [status, problem])
    t.notOk('retry-after' in ended.headers)
  }
})

t.test('DELETE cancels a task; then it is gone', async t => {
  const { tool, isCancelled } = held()
  const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })
  const { url } = (await start(app)).body

  const { status, text } = await plain(app, url, { method: 'DELETE' })

  t.strictSame([status, text], [204, ''])
  await eventually(() => isCancelled(), 'it is cancelled')
  const gone = await plain(app, url)
  t.strictSame([gone.status, problemOf(gone.body)], [410, 'task-cancelled'])
})

t.test('what a task asks stands in it, and is answered there', async t => {
  const tool = defineTool({
    name: 'held',
    task: 'required',
    async handler(_args, ctx) {
      await ctx.progress(1, 2, 'one')
      await new Promise(resolve => setImmediate(resolve))
      const requestedSchema = { type: 'object' as const, properties: { word: { type: 'string' as const } } }
      const { content } = await ctx.elicit('w', { message: 'Which word?', requestedSchema })
      return JSON.stringify(content)
    },
  })
  const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })
  const begun = await plain(app, '/tools/held', { method: 'POST' })
  const url = begun.body.url
  await eventually(async () => (await plain(app, url)).body.status === 'input_required', 'it asks')

  const { status, body } = await plain(app, url)
  t.equal(status, 202)
  t.match(body.questions, [{ key: 'w', mode: 'form', message: 'Which word?', schema: { type: 'object' } }])
  t.strictSame(body.answer, { method: 'POST', url: `${url}/answers` })
  t.equal((await plain(app, body.answer.url, { json: { answer: 1 } })).status, 400)
  for (const [answer, pointer] of [
    ['no', '#/answers/w'],
    [{ action: 'reject' }, '#/answers/w/action'],
    [{ word: 5 }, '#/answers/w/word'],
    [{ action: 'accept', content: { word: 5 } }, '#/answers/w/content/word'],
  ] as const) {
    const refused = await plain(app, body.answer.url, { json: { answers: { w: answer } } })
    t.strictSame(
      [refused.status, problemOf(refused.body), refused.body.errors[0].pointer],
      [422, 'invalid-answers', pointer],
    )
  }
  const answered = await plain(app, body.answer.url, { json: { answers: { w: { word: 'hi' } } } })
  t.ok([200, 202].includes(answered.status))
  const ended = await pollToEnd(app, url)
  t.strictSame([ended.status, ended.body], [200, { word: 'hi' }])
})

t.test('a task whose question is declined is not confirmed', async t => {
  const tool = defineTool({
    name: 'held',
    task: 'required',
    async handler(_args, ctx) {
      await new Promise(resolve => setImmediate(resolve))
      await ctx.confirm('Wipe it?')
      return 'wiped'
    },
  })
  const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })

  for (const answer of [{ action: 'decline' }, { action: 'cancel', content: null }, 'decline', false]) {
    const { url } = (await plain(app, '/tools/held', { method: 'POST' })).body
    await eventually(async () => (await plain(app, url)).body.status === 'input_required', 'it asks')
    await plain(app, `${url}/answers`, { json: { answers: { 'Wipe it?': answer } } })
    const ended = await pollToEnd(app, url)
    t.strictSame([ended.status, ended.body.detail], [422, 'The user has not agreed: Wipe it?'])
  }
})

t.test('a task belongs to its caller', async t => {
  const { tool, end } = held()
  const app = await guarded(t, { plainHttp: true, tools: [tool], tasks: { inlineMs: 0 } })
  const { url } = (await start(app, ALICE)).body

  for (const headers of Object.values(OTHERS)) {
    t.equal((await plain(app, url, { headers })).status, 404)
    t.equal((await plain(app, url, { method: 'DELETE', headers })).status, 404)
    t.equal((await plain(app, `${url}/answers`, { json: { answers: {} }, headers })).status, 404)
  }
  t.equal((await plain(app, url, { headers: ALICE })).status, 202)
  end('over')
})

t.test('an unknown task: 404', async t => {
  const { tool } = held()
  const { status, body } = await plain(await build(t, { tools: [tool] }), '/tools/tasks/nothing')

  t.strictSame([status, problemOf(body)], [404, 'task-not-found'])
})
