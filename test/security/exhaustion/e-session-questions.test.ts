// Floods of questions to clients, and of answers, asked for or not.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { MAX_PENDING_QUESTIONS } from '../../../src/legacy/server-requests.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { until, wired } from '../../support/security/hostile.ts'
import { assertServed, attackIn, BATCHES, callOf, inSession, openSessionAt } from '../../support/security/sessions.ts'

const ask = defineTool({
  name: 'ask',
  async handler(_args, ctx) {
    const requestedSchema = {
      type: 'object' as const,
      properties: { word: { type: 'string' as const } },
      required: ['word'],
    }
    const { content } = await ctx.elicit('word', { message: 'The word?', requestedSchema })
    return `${JSON.stringify(content)} ${typeof ({} as { admin?: unknown }).admin}`
  },
})
const ELICITS = { elicitation: {} }
const isQuestion = ({ id, method }: { id?: unknown; method?: string }) => id !== undefined && method !== undefined

t.test(
  `at most ${MAX_PENDING_QUESTIONS} questions of a session are open; the rest is told so, and other sessions ask on`,
  async t => {
    const { app, port } = await wired(t, [ask], { maxStreams: 1000 })
    const session = await openSessionAt(t, port, { capabilities: ELICITS })
    const other = await openSessionAt(t, port, { capabilities: ELICITS })
    const asking: TestReply[] = []
    for (let id = 0; id < MAX_PENDING_QUESTIONS; id++)
      asking.push(await socket(port, t).stream({ session, body: callOf('ask', {}, id) }))
    for (const each of asking) await each.find(isQuestion)

    for (let id = MAX_PENDING_QUESTIONS; id < MAX_PENDING_QUESTIONS + 20; id++)
      t.match(await inject(app).send({ session, body: callOf('ask', {}, id) }), {
        message: { id, error: { code: 50300 } },
      })
    const elsewhere = await socket(port, t).stream({ session: other, body: callOf('ask') })
    await elsewhere.find(isQuestion)
    t.equal((await inject(app).send({ session, body: callOf('probe', {}, 'probe') })).status, 200, 'it can still call')

    const { id } = await asking[0]!.find(isQuestion)
    await socket(port, t).send({
      session,
      body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { word: 'x' } } },
    })
    await asking[0]!.ended
    const next = await socket(port, t).stream({ session, body: callOf('ask', {}, 'next') })
    await next.find(isQuestion)
    t.equal((await inject(app).send({ session, method: 'DELETE' })).status, 204)
    for (const each of asking) await each.ended
  },
)

t.test('answers to what was never asked are heard by nobody, however many there are', async t => {
  const { app, session } = await inSession(t, BATCHES)
  const ids = [
    '__proto__',
    'constructor',
    'toString',
    '',
    0,
    -1,
    'x'.repeat(128),
    '00000000-0000-0000-0000-000000000000',
  ]
  const answers = ids.flatMap(id => [
    { jsonrpc: '2.0', id, result: { action: 'accept' } },
    { jsonrpc: '2.0', id, error: { code: 1, message: 'x'.repeat(5000) } },
  ])
  for (const body of answers) t.match(await attackIn(app, { session, body }), { status: 202, text: '' })
  for (let round = 0; round < 300; round++) await inject(app).send({ session, body: answers })

  for (const body of [
    { jsonrpc: '2.0', result: {} },
    { jsonrpc: '2.0', id: null, result: {} },
    { jsonrpc: '2.0', id: 1, result: {}, error: {} },
  ])
    t.match(await attackIn(app, { session, body }), { status: 400, message: { error: { code: -32600 } } })
  await assertServed(app, session)
})

t.test('a question is answered once: what comes after it, twice or wrong changes nothing', async t => {
  const { app, port } = await wired(t, [ask])
  const session = await openSessionAt(t, port, { capabilities: ELICITS })
  const asking = await socket(port, t).stream({ session, body: callOf('ask') })
  const { id } = await asking.find(isQuestion)
  const raw = (answer: string) => inject(app).send({ session, body: `{"jsonrpc":"2.0","id":"${id}",${answer}}` })

  for (const poisoned of [
    '"__proto__":{"admin":true},"word":"x"',
    '"constructor":{"prototype":{"admin":true}},"word":"x"',
  ]) {
    const got = await raw(`"result":{"action":"accept","content":{${poisoned}}}`)
    t.match(got, { status: 400, message: { error: { code: -32600 } } })
  }
  t.equal(({} as { admin?: unknown }).admin, undefined)
  t.notOk(asking.hasEnded)
  const right = '"result":{"action":"accept","content":{"word":"first","toString":"x"}}'
  const answers = await Promise.all([
    raw(right),
    ...Array.from({ length: 20 }, () => raw('"result":{"action":"accept","content":{"word":"late"}}')),
  ])
  t.ok(answers.every(({ status }) => status === 202))
  await asking.ended

  const text = asking.messages.at(-1)!.result.content[0].text
  t.match(text, /"word":"first"/)
  t.match(text, /undefined$/)
  t.equal(asking.messages.filter(isQuestion).length, 1)
})

t.test('an answer that is none is asked for again, at most ten times, and then the call ends', async t => {
  const { port } = await wired(t, [ask])
  const session = await openSessionAt(t, port, { capabilities: ELICITS })
  const asking = await socket(port, t).stream({ session, body: callOf('ask') })
  const wrong = [
    {},
    { action: 'accept' },
    { action: 'x' },
    { action: 'accept', content: { word: 7 } },
    { action: 'accept', content: { word: {} } },
  ]

  for (let round = 0; !asking.hasEnded && round < 30; round++) {
    await until(() => asking.hasEnded || asking.messages.filter(isQuestion).length > round, 'it asked again')
    const question = asking.messages.filter(isQuestion)[round]
    if (question !== undefined)
      await socket(port, t).send({
        session,
        body: { jsonrpc: '2.0', id: question.id!, result: wrong[round % wrong.length]! },
      })
  }

  t.ok(asking.messages.filter(isQuestion).length <= 10)
  t.match(asking.messages.at(-1), { id: 1, result: { isError: true } })
})
