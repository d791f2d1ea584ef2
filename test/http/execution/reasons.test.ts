// A failure whose error has no message says why all the same, behind every door.
import t from 'tap'
import { everyDoor } from '../../support/every-door.ts'

// Processes of isolated tools start slowly on a busy machine.
t.setTimeout(120_000)

// `localhost` on a machine with IPv6: a real connection that both addresses refuse.
const CONNECT = `import { connect, createServer } from 'node:net'
const lookup = (_host, _options, done) => done(null, [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }])
const closedPort = () => new Promise(done => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => done(port))
  })
})
const down = async () => {
  const port = await closedPort()
  await new Promise((_, reject) => connect({ host: 'localhost', port, lookup }).on('error', reject))
}`

const isFailure = ({ msg }: { msg: string }) => msg === 'tool threw' || msg === 'handler failed'

t.test('a refused connection to localhost has a reason for the model and for the log, behind every door', async t => {
  const { app, askAll } = await everyDoor(t, { down: 'down' }, { topLevel: CONNECT })

  for (const [door, text] of Object.entries(await askAll('down')))
    t.match(text, /connect ECONNREFUSED 127\.0\.0\.1:\d+/, door)
  const lines = app.logs.lines.filter(isFailure)
  t.equal(lines.length, 5)
  for (const { reason, causes } of lines) {
    t.match(reason, /ECONNREFUSED 127\.0\.0\.1/)
    t.match(causes.at(-1), /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/)
  }
})

const THROWN: [what: string, source: string, text: string, causes: readonly string[] | undefined][] = [
  ['a Response', "new Response('busy', { status: 503 })", 'HTTP 503 Service Unavailable', undefined],
  ['{ code, error }', "{ code: 'QUOTA', error: 'quota exceeded' }", 'quota exceeded (QUOTA)', ['quota exceeded']],
  [
    'an error with a cause within an object',
    "{ code: 'QUOTA', error: new Error('quota', { cause: new Error('of the month') }) }",
    'quota (QUOTA)',
    ['quota', 'of the month'],
  ],
  ['an error with a code', "Object.assign(new Error(''), { code: 'EPIPE' })", 'EPIPE', undefined],
  [
    'a SuppressedError',
    "new SuppressedError(new Error('close'), new Error('work', { cause: new Error('disk') }), '')",
    'work; close',
    ['work', 'close', 'disk'],
  ],
  [
    'an AggregateError with a message',
    "new AggregateError([new Error('a', { cause: 'why' }), new Error('b')], 'all failed')",
    'all failed',
    ['a', 'b', 'why'],
  ],
]

t.test('what is thrown without a message has a text and causes, behind every door', async t => {
  const handlers = THROWN.map(([, source], row) => [`row${row}`, `() => { throw ${source} }`])
  const { app, askAll } = await everyDoor(t, Object.fromEntries(handlers))

  for (const [row, [what, , text, causes]] of THROWN.entries()) {
    app.logs.lines.length = 0
    for (const [door, said] of Object.entries(await askAll(`row${row}`))) t.match(said, text, `${what}: ${door}`)
    const lines = app.logs.lines.filter(isFailure)
    for (const line of lines) t.strictSame({ reason: line.reason, causes: line.causes }, { reason: text, causes }, what)
    t.equal(lines.length, 5)
  }
})
