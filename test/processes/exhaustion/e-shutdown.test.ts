// The real process ends: calls finish, streams end well, nothing new begins.
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { request, stream } from '../../support/app.ts'
import { assertClean, post, until } from '../../support/security/hostile.ts'
import { callOver, serve } from '../../support/servers/own-process.ts'
import { tempFolder } from '../../support/tools-folder.ts'

/** Runs until the file is there, so that a drain is as long as a test looks at it. */
const HELD = (file: string) => `import { existsSync } from 'node:fs'
export default { name: 'slow', async handler(_args, ctx) {
  ctx.log.info('started')
  while (!existsSync(${JSON.stringify(file)})) await new Promise(done => setTimeout(done, 20))
  return 'finished'
} }`
const LISTEN = { notifications: { toolsListChanged: true } }
const has = (lines: { msg?: string }[], msg: string) => lines.some(line => line.msg === msg)

t.jobs = 3

t.test(
  'E9: at SIGTERM calls finish, streams end with their result, nothing new is taken, and the code is 0',
  async t => {
    const gate = tempFolder(t, {})
    const server = await serve(t, { 'slow.mjs': HELD(join(gate.path, 'open')) })
    const listener = await stream(t, server.url, 'subscriptions/listen', LISTEN, { id: 'listening' })
    await listener.next(0)
    const underWay = callOver(server.url, 'slow')
    await until(() => has(server.lines, 'tool log'), 'the call started')

    server.child.kill('SIGTERM')
    await until(() => has(server.lines, 'draining'), 'it drains')

    const ready = await fetch(new URL('/ready', server.url))
    t.equal(ready.status, 503)
    t.strictSame(await ready.json(), { status: 'draining' })
    t.equal((await fetch(new URL('/health', server.url))).status, 200)

    const refused = await callOver(server.url, 'probe')
    t.equal(refused.status, 503)
    t.equal(refused.headers.get('connection'), 'close')
    t.equal(refused.headers.get('retry-after'), '1')
    t.equal(refused.body.error.code, 50300)
    gate.write({ open: '' })

    const ended = await listener.next(1)
    await listener.ended
    t.match(ended, {
      id: 'listening',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'listening' } },
    })
    t.equal(listener.messages.length, 2)

    const { status, body } = await underWay
    t.equal(status, 200)
    t.equal(body.result.content[0].text, 'finished')
    t.equal(await server.exited, 0)
    assertClean(server.stdout)
  },
)

t.test('E9: a request whose body comes after SIGTERM is answered all the same, and ends with the drain', async t => {
  const server = await serve(t, {}, { DRAIN_MS: '8000' })
  const { message, headers } = request('subscriptions/listen', LISTEN, { id: 'late' })
  const body = JSON.stringify(message)
  const socket = net.connect(server.port, '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('data', chunk => (answer += chunk)).on('error', () => {})
  t.teardown(() => socket.destroy())
  const head = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) })
  socket.write(`POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  const slow = await post(t, server.port, 'subscriptions/listen', LISTEN)
  // Since it is answered, the server has the one before it, too.
  await once(slow.resume(), 'data')

  server.child.kill('SIGTERM')
  await until(() => has(server.lines, 'draining'), 'it drains')
  socket.write(body)

  t.equal(await server.exited, 0)
  t.match(answer, /"id":"late"/)
})

t.test('E9: a call that outlives the drain is told so, and the code is 0', async t => {
  const stubborn = `export default { name: 'stubborn', handler(_args, ctx) { ctx.log.info('x'); return new Promise(() => {}) } }`
  const server = await serve(t, { 'stubborn.mjs': stubborn }, { DRAIN_MS: '200' })
  const underWay = callOver(server.url, 'stubborn')
  await until(() => has(server.lines, 'tool log'), 'the call started')

  server.child.kill('SIGTERM')

  t.match((await underWay).body.result, { isError: true, content: [{ text: /shutting down; retry$/ }] })
  t.equal(await server.exited, 0)
})

t.test('E9: readers that stopped reading do not keep the process', async t => {
  const flood = `export default { name: 'flood', async handler(_args, ctx) {
    for (let step = 1; step < 900; step++) { ctx.log.debug('x'.repeat(30000)); await new Promise(setImmediate) }
    return 'x'.repeat(3_000_000)
  } }`
  const ending = async () => {
    const server = await serve(t, { 'flood.mjs': flood }, { DRAIN_MS: '300' })
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' }
    await post(t, server.port, 'tools/call', { name: 'flood', arguments: {} }, { meta })
    await post(t, server.port, 'subscriptions/listen', LISTEN)
    await until(() => server.lines.filter(({ msg }) => msg === 'audit').length > 0, 'the call was served')
    const startedMs = performance.now()
    server.child.kill('SIGTERM')
    return { code: await server.exited, tookMs: performance.now() - startedMs }
  }

  let { code, tookMs } = await ending()
  // A machine that stands still for seconds does not do so each time.
  for (let tries = 1; tries < 4 && (code !== 0 || tookMs >= 8000); tries++) ({ code, tookMs } = await ending())

  t.equal(code, 0)
  // Well before a reader that has stopped is cut, after 10 s.
  t.ok(tookMs < 8000, `${tookMs} ms`)
})

t.test('E9: an idle process ends at once, at SIGINT too, and a second signal changes nothing', async t => {
  const server = await serve(t, {})
  const startedMs = performance.now()

  server.child.kill('SIGINT')
  server.child.kill('SIGTERM')

  t.equal(await server.exited, 0)
  // Well before a drain of 25 s is over.
  t.ok(performance.now() - startedMs < 20_000)
  assertClean(server.stdout)
})

t.test('E9: an open connection that asks nothing does not keep the process', async t => {
  const server = await serve(t, {}, { DRAIN_MS: '200' })
  const sockets = Array.from({ length: 20 }, () => net.connect(server.port, '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => {}).resume()
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  sockets[0]!.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\n')
  await new Promise(resolve => setTimeout(resolve, 100))

  server.child.kill('SIGTERM')

  t.equal(await server.exited, 0)
})
