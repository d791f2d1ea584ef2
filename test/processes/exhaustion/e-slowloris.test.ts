// Clients that send a byte at a time, or begin late.
import net from 'node:net'
import t, { type Test } from 'tap'
import { type App, listeningInTime as listening } from '../../support/app.ts'
import { until } from '../../support/eventually.ts'

// The slow cases take seconds of real time, so they run beside each other.
t.jobs = 8
t.setTimeout(120_000)

/** Also where it was reset: what was sent after the server had closed is answered so, and may take the answer with it. */
async function closed(socket: net.Socket): Promise<{ wasReset: boolean }> {
  let wasReset = false
  socket.on('error', () => (wasReset = true))
  await new Promise(resolve => socket.on('close', resolve))
  return { wasReset }
}

/** Sends the text a piece at a time until the server closes: its answer and how long that took. */
async function drip(t: Test, port: number, { at, after, everyMs }: { at: string; after: string; everyMs: number }) {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8')
  t.teardown(() => socket.destroy())
  let answer = ''
  socket.on('data', chunk => (answer += chunk))
  const startedMs = performance.now()
  socket.write(at)
  let sent = 0
  const timer = setInterval(() => socket.write(after[sent++ % after.length]!), everyMs)
  const { wasReset } = await closed(socket)
  clearInterval(timer)
  return { answer, wasReset, tookMs: performance.now() - startedMs }
}

/**
 * Whether the server gives the next connection up within this time, by its own clock: a machine that stands still keeps
 * both the server and this timer waiting, and what is due first runs first.
 */
function isGivenUpWithin({ server }: App, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    server.once('connection', () => {
      const timer = setTimeout(() => resolve(false), ms)
      server.once('clientError', () => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  })
}

const HEAD = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'

t.test('E11: headers that come a byte at a time are given up within 7 s', { timeout: 90_000 }, async t => {
  const { app, port } = await listening(t)
  // After 5 s and a look each second; before the 10 s that a whole request has.
  const isInTime = isGivenUpWithin(app, 7000)

  const { answer, wasReset, tookMs } = await drip(t, port, { at: HEAD, after: 'x-slow: 1\r\n', everyMs: 500 })

  t.match(answer, wasReset ? /^(?:HTTP\/1\.1 408 |$)/ : /^HTTP\/1\.1 408 /)
  t.ok(await isInTime)
  t.ok(tookMs > 4000, `${tookMs} ms`)
})

t.test('E11: a body that comes a byte at a time is given up within 12 s', { timeout: 90_000 }, async t => {
  const { app, port } = await listening(t)
  // After 10 s and a look each second; Node would wait for 300 s.
  const isInTime = isGivenUpWithin(app, 12_000)

  const { answer, wasReset, tookMs } = await drip(t, port, {
    at: `${HEAD}content-length: 1000\r\n\r\n{`,
    after: ' ',
    everyMs: 500,
  })

  t.match(answer, wasReset ? /^(?:HTTP\/1\.1 408 |$)/ : /^HTTP\/1\.1 408 /)
  t.ok(await isInTime)
  t.ok(tookMs > 9000, `${tookMs} ms`)
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 50),
    [],
    'no fault of ours',
  )
})

t.test('E11: who says nothing for longer than headers may take is served, and has their time from then on', async t => {
  const { app, port } = await listening(t)
  const served = net.connect(port, '127.0.0.1').setEncoding('utf8')
  const slow = net.connect(port, '127.0.0.1').setEncoding('utf8')
  t.teardown(() => [served, slow].map(socket => socket.destroy()))
  const answers = { served: '', slow: '' }
  served.on('data', chunk => (answers.served += chunk))
  slow.on('data', chunk => (answers.slow += chunk))
  const { headersTimeout } = app.server
  Object.assign(app.server, { headersTimeout: 1 })
  // Both are found in the same look, perhaps.
  await new Promise<void>(done => {
    let late = 0
    app.server.on('clientError', () => ++late === 2 && done())
  })
  Object.assign(app.server, { headersTimeout })

  served.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
  slow.write(HEAD)
  await closed(slow)
  await until(() => answers.served !== '', 'the other is answered')

  t.match(answers.served, /^HTTP\/1\.1 200 /)
  t.match(answers.slow, /^(?:HTTP\/1\.1 408 .*"code":40800|$)/s)
})
