// What a client of a session gets again when it comes back: only its own, bounded, nothing twice.
import t from 'tap'
import { MemoryEvents } from '../../../packages/memory/src/events.ts'
import { defineTool } from '../../../src/index.ts'
import { MAX_EVENTS_PER_STREAM, MAX_STREAM_SIZE } from '../../../src/state/events.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { socket } from '../../support/client/transport.ts'
import { until, wired } from '../../support/security/hostile.ts'
import { callOf, OLDER, openSessionAt } from '../../support/security/sessions.ts'

// They mostly wait.
t.jobs = 4

const filler = defineTool({ name: 'filler', handler: () => 'x' })
const chatty = defineTool({
  name: 'chatty',
  async handler(_args, { progress }) {
    for (let step = 1; step <= 300; step++) {
      progress(step)
      if (step % 50 === 0) await new Promise(resolve => setTimeout(resolve, 100))
    }
    return 'done'
  },
})
const chat = { ...callOf('chatty'), params: { name: 'chatty', arguments: {}, _meta: { progressToken: 1 } } }

const idsOf = ({ events }: TestReply) => events.filter(({ data }) => data !== '').map(({ id }) => id!)

t.test('E7: every event of a session has an id of its own, and that is all that tells of its stream', async t => {
  const { port } = await wired(t, [chatty])

  for (const revision of OLDER) {
    const session = await openSessionAt(t, port, { revision })
    const stream = await socket(port, t).stream({ session, body: chat })
    await stream.ended
    const ids = idsOf(stream)
    t.ok(ids.length > 100, `${ids.length} events`)
    t.equal(new Set(ids).size, ids.length)
    t.notOk(
      ids.some(id => id.includes(session)),
      'the session id is in no event',
    )
    t.match(stream.messages.at(-1), { id: 1, result: {} })
  }
})

t.test(`E7: at most ${MAX_EVENTS_PER_STREAM} events are kept, the newest, each told once, in order`, async t => {
  const { port } = await wired(t, [chatty])
  const session = await openSessionAt(t, port)
  const first = await socket(port, t).stream({ session, body: chat })
  await first.ended
  const ids = idsOf(first)
  const last = ids.at(-1)!
  const start = last.replace(/\d+$/, '0')

  const again = await socket(port, t).stream({ session, headers: { 'last-event-id': start } })
  await again.ended
  const third = await socket(port, t).stream({ session, headers: { 'last-event-id': ids.at(-4)! } })
  await third.ended
  const none = await socket(port, t).stream({ session, headers: { 'last-event-id': last } })
  await none.ended

  t.same(idsOf(again), ids.slice(-MAX_EVENTS_PER_STREAM))
  t.same(idsOf(third), ids.slice(-3))
  t.same(idsOf(none), [])
})

t.test('E7: a connection that drops over and over again brings each event once, to the end', async t => {
  const { port } = await wired(t, [chatty])
  const session = await openSessionAt(t, port)
  const seen: string[] = []
  const answers: unknown[] = []
  const note = (from: TestReply) => {
    seen.push(...idsOf(from))
    answers.push(...from.messages.filter(({ result }) => result))
  }
  let stream = await socket(port, t).stream({ session, body: chat })
  let last = ''

  for (let drops = 0; drops < 20 && !stream.hasEnded; drops++) {
    await new Promise(resolve => setTimeout(resolve, 30))
    note(stream)
    last = stream.events.at(-1)?.id ?? last
    stream.close()
    stream = await socket(port, t).stream({ session, headers: { 'last-event-id': last } })
  }
  await stream.ended
  note(stream)

  t.equal(new Set(seen).size, seen.length, 'none twice')
  const numbers = seen.map(id => Number(id.split('.')[1]))
  t.same(
    numbers,
    Array.from({ length: numbers.length }, (_, index) => index + 1),
    'none missing',
  )
  t.match(answers, [{ id: 1, result: {} }])
  t.equal(answers.length, 1)
})

t.test('E7: whoever comes back to a stream takes it over, so that no event has the id of another', async t => {
  const { port, toolrack } = await wired(t, [])
  const session = await openSessionAt(t, port)
  const change = () => {
    toolrack.add(filler)
    toolrack.remove('filler')
  }
  const first = await socket(port, t).stream({ session })
  await until(() => first.events.length > 0, 'it began')
  change()
  await until(() => first.messages.length >= 1, 'it heard')
  const from = first.events.at(-1)!.id!

  const second = await socket(port, t).stream({ session, headers: { 'last-event-id': from } })
  await first.ended
  change()
  await until(() => second.messages.length >= 1, 'the second heard')
  second.close()
  const third = await socket(port, t).stream({ session, headers: { 'last-event-id': from } })
  change()
  await until(() => third.messages.length >= 2, 'the third heard what the second did, and more')

  const ids = [...idsOf(first), ...idsOf(third)]
  t.equal(new Set(ids).size, ids.length, ids.join())
  t.same(idsOf(third).slice(0, 1), idsOf(second).slice(0, 1))
})

t.test('E7: news goes over one stream, however many a session has open, and at most four', async t => {
  const { port, toolrack } = await wired(t, [])
  const session = await openSessionAt(t, port)
  const streams: TestReply[] = []
  for (let count = 0; count < 10; count++) {
    const stream = await socket(port, t).stream({ session })
    await until(() => stream.events.length > 0, 'it began')
    streams.push(stream)
  }
  await until(() => streams.filter(({ hasEnded }) => hasEnded).length === 6, 'the six oldest have ended')

  toolrack.add(filler)
  await until(() => streams.at(-1)!.messages.length === 1, 'the newest heard')
  await new Promise(resolve => setTimeout(resolve, 30))

  t.equal(streams.flatMap(({ messages }) => messages).length, 1)
  t.notOk(streams.slice(6).some(({ hasEnded }) => hasEnded))
})

t.test('E7: two that come back to the same stream at once do not both get it', async t => {
  const { port } = await wired(t, [chatty])
  const session = await openSessionAt(t, port)
  const first = await socket(port, t).stream({ session, body: chat })
  await until(() => first.events.length > 2, 'it began')
  const from = first.events[1]!.id!

  const both = await Promise.all(
    Array.from({ length: 8 }, () => socket(port, t).stream({ session, headers: { 'last-event-id': from } })),
  )
  await Promise.all(both.map(each => each.ended))

  t.equal(both.filter(({ messages }) => messages.some(({ result }) => result)).length, 1, 'one has the answer')
  for (const each of both) t.equal(new Set(idsOf(each)).size, idsOf(each).length)
})

t.test('E7: the answer waits for a client that had left before anything was said', async t => {
  const gate = Promise.withResolvers<string>()
  const waits = defineTool({ name: 'waits', handler: () => gate.promise })
  const { port } = await wired(t, [waits])
  const session = await openSessionAt(t, port)
  const left = await socket(port, t).stream({ session, body: callOf('waits') })
  await until(() => left.events.length > 0, 'its stream opened')
  const from = left.events[0]!.id!
  left.close()
  gate.resolve('worth waiting for')

  const back = await socket(port, t).stream({ session, headers: { 'last-event-id': from } })
  await back.ended

  t.match(back.messages, [{ id: 1, result: { content: [{ text: 'worth waiting for' }] } }])
  t.equal(back.messages.length, 1)
})

t.test('E7: of what is large less is kept, so that coming back costs no more than an answer or two', async t => {
  const events = new MemoryEvents()
  const key = { session: 's', stream: 'x' }
  const json = 'x'.repeat(MAX_STREAM_SIZE / 4)

  for (let seq = 1; seq <= 30; seq++) await events.append(key, { seq, json })
  const kept = await events.read(key, 0)
  await events.append(key, { seq: 31, json: json.repeat(6) })
  const newest = await events.read(key, 0)
  events.close()

  t.same(
    kept?.events.map(({ seq }) => seq),
    [27, 28, 29, 30],
  )
  t.same(
    newest?.events.map(({ seq }) => seq),
    [31],
    'however large',
  )
})
