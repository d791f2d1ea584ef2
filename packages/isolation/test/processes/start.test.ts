// The start of a process, and the loading of a tool's file in it, are no part of the tool's own
// time.
import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { Cancellation } from '../../../../src/request/cancellation.ts'
import { callTool } from '../../../../test/support/app.ts'
import { rack, until } from '../../../../test/support/security/hostile.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { MAX_PROCESSES } from '../../src/isolation.ts'
import { callAs, isolated } from '../isolated.ts'

const textOf = (outcome: unknown) => (outcome as { result: { content: [{ text: string }] } }).result.content[0].text

/**
 * What a process takes for the file of a slow tool, and a deadline that is long enough for the tool
 * itself on a busy machine, ms.
 */
const LOADING_MS = 2500
const TIMEOUT_MS = 1500
const SLOW = `await new Promise(done => setTimeout(done, ${LOADING_MS}))`

t.test('start: a tool runs, however short its deadline: the start of its process does not count', async t => {
  // Of a busy machine a handler that returns at once may need this; a start needs more of any.
  for (let tries = 0; tries < 20; tries++) {
    const parts = isolated(t, `() => 'ran'`)
    const outcome = await callAs(parts, parts.toolWith({ timeout: 30 }))
    if (textOf(outcome) === 'ran') return t.pass(`after ${tries} that did not`)
  }
  t.fail('it ran')
})

t.test('start: what a file takes to load in its process does not count, and what its handler takes does', async t => {
  const parts = isolated(t, `({ who }) => who === 'bob' ? new Promise(() => setInterval(() => {}, 1000)) : 'ran'`, {
    topLevel: SLOW,
  })
  const tool = parts.toolWith({ timeout: TIMEOUT_MS })

  t.equal(textOf(await callAs(parts, tool, 'bob')), `tool timed out after ${TIMEOUT_MS} ms`)
  // The process of that call was ended: this one is in a new one.
  t.equal(textOf(await callAs(parts, tool)), 'ran')
})

t.test('start: in a process that took the place of one that died the start does not count either', async t => {
  const parts = isolated(t, `({ who }) => who === 'bob' ? process.reallyExit(3) : 'ran'`, { topLevel: SLOW })
  const tool = parts.toolWith({ timeout: TIMEOUT_MS })

  t.match(textOf(await callAs(parts, tool, 'bob')), /ended the process that it ran in/)
  t.equal(textOf(await callAs(parts, tool)), 'ran')
})

t.test('start: a file that was changed is loaded anew, in the time of nobody', async t => {
  const source = (answer: string) =>
    `if (process.pid !== ${process.pid}) ${SLOW}
export default { name: 'slow', isolate: true, timeout: ${TIMEOUT_MS}, handler: () => '${answer}' }`
  const tools = tempFolder(t, { 'slow.mjs': source('one') })
  const app = await rack(t, [], { toolsDir: tools.path, watchTools: false })
  t.equal((await callTool(app, 'slow')).content[0].text, 'one')

  tools.write({ 'slow.mjs': source('two') })
  await app.toolrack.reload()

  t.equal((await callTool(app, 'slow')).content[0].text, 'two')
})

const HANGING = 'await new Promise(() => setInterval(() => {}, 1000))'

t.test('start: it has a bound of its own, past which the process is ended and its place given to others', async t => {
  const parts = isolated(t, `() => 'ran'`, { topLevel: HANGING, maxStartMs: 300 })
  const tool = parts.toolWith({ timeout: 100 })

  const outcomes = await Promise.all(Array.from({ length: MAX_PROCESSES }, () => callAs(parts, tool)))
  outcomes.push(await callAs(parts, tool))

  for (const outcome of outcomes) {
    t.match(outcome, { kind: 'timed_out' })
    t.equal(textOf(outcome), 'tool timed out: its process did not start in 300 ms')
  }
})

t.test(
  'start: who cancels while the process starts is answered, its handler does not run, and others are served',
  async t => {
    const parts = isolated(t, `({ who }) => { void pass(who); return 'ran' }`, {
      topLevel: `void pass('loading'); await new Promise(done => setTimeout(done, 50))`,
    })
    const gate = await parts.gate()
    const tool = parts.toolWith()
    const leaving = [new Cancellation(), new Cancellation()]
    const left = leaving.map(cancellation => callAs(parts, tool, 'bob', { cancellation }))

    // One at its very beginning, one while the file is loaded.
    leaving[0]!.cancel('cancelled')
    await until(() => gate.begun.length > 0, 'a process loads the file')
    leaving[1]!.cancel('client-left')

    for (const outcome of await Promise.all(left)) t.match(outcome, { kind: 'cancelled' })
    t.equal(textOf(await callAs(parts, tool)), 'ran')
    await until(() => gate.begun.at(-1)?.who === 'alice', 'it was told')
    t.strictSame(
      gate.begun.map(({ who }) => who).filter(who => who !== 'loading'),
      ['alice'],
    )
  },
)

t.test('start: a shutdown ends what starts', async t => {
  const server = createServer()
  const { path } = tempFolder(t, {})
  server.listen(`${path}/loading`)
  t.teardown(() => server.close())
  const source = `import { connect } from 'node:net'
if (process.pid !== ${process.pid}) {
  connect('${path}/loading').on('error', () => {})
  ${HANGING}
}
export default { name: 'slow', isolate: true, handler: () => 'ran' }`
  const toolsDir = tempFolder(t, { 'slow.mjs': source }).path
  const app = await rack(t, [], { toolsDir, watchTools: false, drainMs: 50 })
  const loading = once(server, 'connection')
  const calling = callTool(app, 'slow')
  const [socket] = await loading
  const gone = once(socket.on('error', () => {}).resume(), 'close')

  await app.close()

  t.match(await calling, { isError: true, content: [{ text: /shutting down/ }] })
  await gone
})

t.test('start: if it fails, the deadline goes on for the hooks', async t => {
  const parts = isolated(t, `() => 'ran'`, { topLevel: `throw new Error('no')` })
  const tool = parts.toolWith({
    timeout: 100,
    onCall: ({ ctx }, next) =>
      next().catch(() => new Promise(resolve => ctx.signal.addEventListener('abort', resolve))),
  })

  t.match(await callAs(parts, tool), { kind: 'timed_out' })
})
