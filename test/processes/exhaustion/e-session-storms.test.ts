// Many streams of sessions at once; all is as before when they are gone. bench/sessions.ts does the
// storm with ten times as many.
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineResource, defineTool } from '../../../src/index.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { assertClean, until, wired } from '../../support/security/hostile.ts'
import { callOf, openSession, openSessionAt, unread } from '../../support/security/sessions.ts'
import { serve } from '../../support/servers/own-process.ts'

let fillers = 0
const filler = () => defineTool({ name: `filler-${++fillers}`, handler: () => 'x' })
const document = defineResource({ uriTemplate: 'doc:{id}', name: 'doc', handler: () => 'x' })

/** ms until each of the streams has heard of a change. */
async function spread(toolrack: { add(tool: object): void }, streams: readonly TestReply[]): Promise<number> {
  const had = streams.map(({ text }) => text.length)
  const startedMs = performance.now()
  toolrack.add(filler())
  await until(() => streams.every(({ text }, index) => text.length > had[index]!), 'all heard')
  return performance.now() - startedMs
}

/** Each has to be sent some megabytes before it holds anything up: with a hundred of them that is minutes of a slow machine. */
const STOPPED = 30

t.test(`E5: ${STOPPED} readers that have stopped do not hold up 100 that read`, async t => {
  let nowMs = 0
  const { app, port, toolrack, streams } = await wired(t, [document], { maxStreams: 1000, clock: () => nowMs })
  const reading: TestReply[] = []
  for (let count = 0; count < 100; count++)
    reading.push(await socket(port, t).stream({ session: await openSession(app) }))
  await until(() => reading.every(({ text }) => text !== ''), 'all began')
  const alone = [await spread(toolrack, reading), await spread(toolrack, reading), await spread(toolrack, reading)]

  const uri = `doc:${'x'.repeat(1900)}`
  for (let count = 0; count < STOPPED; count++) {
    const session = await openSession(app)
    await inject(app).send({ session, body: { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } } })
    await unread(t, port, session)
  }
  await until(() => streams.size === 100 + STOPPED, 'all opened')
  for (let round = 0; round < 2000; round++) {
    toolrack.resourceUpdated(uri)
    if (round % 20 === 0) await sleep(0)
  }
  const beside = [await spread(toolrack, reading)]
  const isHeldUp = () => Math.min(...beside) >= 3 * Math.max(...alone) + 100
  // Each time by those that have stopped, or once by the machine.
  while (isHeldUp() && beside.length < 10) beside.push(await spread(toolrack, reading))

  t.notOk(isHeldUp(), `${alone} ms alone, ${beside} ms beside`)
  nowMs = 10_000
  streams.tick()
  await until(() => streams.hasRoom(101 + STOPPED) && streams.size >= 100, 'those that read are still there')
  t.notOk(reading.some(({ hasEnded }) => hasEnded))
})

t.test('E6: 1,000 streams that drop and come back at once are all let in, and told what they missed', async t => {
  const count = 1000
  const { app, port, toolrack, streams } = await wired(t, [], { maxStreams: count + 100 })
  const sessions: string[] = []
  for (let index = 0; index < count; index++) sessions.push(await openSession(app))
  const join = (ids: readonly (string | undefined)[] = []) =>
    Promise.all(
      sessions.map((session, index) => {
        const id = ids[index]
        return socket(port, t).stream({ session, ...(id !== undefined && { headers: { 'last-event-id': id } }) })
      }),
    )
  const first = await join()
  await until(() => first.every(({ text }) => text.endsWith('\n\n')), 'all began')
  const left = first.map(({ events }) => events.at(-1)!.id)

  const startedMs = performance.now()
  for (const each of first) each.close()
  toolrack.add(filler())
  const second = await join(left)
  await until(() => second.every(({ text }) => text.includes('list_changed')), 'all were told')
  const elapsedMs = performance.now() - startedMs
  await sleep(50)

  t.same([...new Set(second.map(({ status }) => status))], [200])
  t.ok(
    second.every(({ messages }) => messages.length === 1),
    'once',
  )
  t.ok(elapsedMs < 60_000, `${elapsedMs} ms`)
  for (const each of second) each.close()
  await until(() => streams.hasRoom(1), 'all are gone')
})

t.test('E10: streams and sessions that have ended leave neither memory nor timers nor sockets', async t => {
  const { app, port, streams } = await wired(t, [], { maxStreams: 1000 })
  const resources = () => {
    const all = process.getActiveResourcesInfo()
    return {
      timers: all.filter(each => each === 'Timeout').length,
      sockets: all.filter(each => /TCP/.test(each)).length,
    }
  }
  const round = async () => {
    const session = await openSession(app)
    const opened = await Promise.all(Array.from({ length: 8 }, () => raw(port, session)))
    for (const socket of opened) socket.destroy()
    if (Math.random() < 0.5) await inject(app).send({ session, method: 'DELETE' })
  }
  for (let count = 0; count < 100; count++) await round()
  await until(() => streams.hasRoom(1), 'all are gone')
  const before = resources()

  for (let count = 0; count < 500; count++) await round()
  await until(() => streams.hasRoom(1), 'all are gone')
  const { timers, sockets } = before
  const areGone = () => resources().timers <= timers + 2 && resources().sockets <= sockets + 2
  await until(areGone, `timers and sockets are as before: ${JSON.stringify(resources())}`)
  const after = resources()

  t.ok(after.timers <= before.timers + 2, `${before.timers} timers, then ${after.timers}`)
  t.ok(after.sockets <= before.sockets + 2, `${before.sockets} sockets, then ${after.sockets}`)
})

/** A stream that has begun, on a socket that asks for nothing more. */
async function raw(port: number, session: string): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${session}\r\n\r\n`,
  )
  await once(socket, 'data')
  return socket
}

const SLOW = `export default { name: 'slow', async handler(_args, ctx) {
  ctx.log.info('started')
  await new Promise(done => setTimeout(done, 700))
  return 'finished'
} }`
const ASKS = `export default { name: 'asks', async handler(_args, ctx) {
  return JSON.stringify(await ctx.elicit('q', { message: 'Well?', requestedSchema: { type: 'object', properties: {} } }))
} }`

t.test(
  'E9: at SIGTERM streams of news end, calls are answered, who is asked may answer, nothing new begins',
  async t => {
    const server = await serve(t, { 'slow.mjs': SLOW, 'asks.mjs': ASKS }, { DRAIN_MS: '30000' })
    const session = await openSessionAt(t, server.port, { capabilities: { elicitation: {} } })
    const listener = await socket(server.port, t).stream({ session })
    const calling = socket(server.port, t).stream({ session, body: callOf('slow', {}, 1) })
    const asking = await socket(server.port, t).stream({ session, body: callOf('asks', {}, 2) })
    const { id } = await asking.find(({ method }) => method === 'elicitation/create')
    await until(() => server.lines.some(({ msg }) => msg === 'tool log'), 'the call started')

    server.child.kill('SIGTERM')
    await until(() => server.lines.some(({ msg }) => msg === 'draining'), 'it drains')
    await listener.ended
    const call = await socket(server.port, t).stream({ session, body: callOf('probe', {}, 3) })
    const stream = await socket(server.port, t).stream({ session })
    const hello = await socket(server.port, t).stream({
      body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
    })
    for (const each of [call, stream, hello]) {
      await each.ended
      t.equal(each.status, 503)
      t.match(JSON.parse(each.text), { error: { code: 50300 } })
    }
    const answered = await socket(server.port, t).stream({
      session,
      body: { jsonrpc: '2.0', id, result: { action: 'decline' } },
    })
    t.equal(answered.status, 202)

    await asking.ended
    t.match(asking.messages.at(-1), { id: 2, result: { content: [{ text: '{"action":"decline"}' }] } })
    const called = await calling
    await called.ended
    t.match(called.messages.at(-1) ?? JSON.parse(called.text), { id: 1, result: { content: [{ text: 'finished' }] } })
    t.equal(await server.exited, 0)
    assertClean(server.stdout)
  },
)
