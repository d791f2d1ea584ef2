// The start of a thread, and the loading of a tool's file in it, are no part of the tool's own time.
import { BroadcastChannel } from 'node:worker_threads'
import t from 'tap'
import { Cancellation } from '../../src/cancellation.ts'
import { MAX_THREADS } from '../../src/isolation/isolation.ts'
import { callTool } from '../helper.ts'
import { tempFolder } from '../registry/temp-folder.ts'
import { rack, until } from '../security/hostile.ts'
import { callAs, isolated } from './isolated.ts'

const textOf = (outcome: unknown) => (outcome as { result: { content: [{ text: string }] } }).result.content[0].text

/** What a thread takes for the file of a slow tool, and a deadline that is long enough for the tool itself, ms. */
const LOADING_MS = 900
const TIMEOUT_MS = 450
const SLOW = `await new Promise(done => setTimeout(done, ${LOADING_MS}))`

t.test('start: a tool runs, however short its deadline: the start of its thread does not count', async t => {
  // Of a busy machine a handler that returns at once may need this; a start needs more of any.
  for (let tries = 0; tries < 20; tries++) {
    const parts = isolated(t, `() => 'ran'`)
    const outcome = await callAs(parts, parts.toolWith({ timeout: 30 }))
    if (textOf(outcome) === 'ran') return t.pass(`after ${tries} that did not`)
  }
  t.fail('it ran')
})

t.test('start: what a file takes to load in its thread does not count, and what its handler takes does', async t => {
  const parts = isolated(t, `({ who }) => who === 'bob' ? new Promise(() => setInterval(() => {}, 1000)) : 'ran'`, {
    topLevel: SLOW,
  })
  const tool = parts.toolWith({ timeout: TIMEOUT_MS })

  t.equal(textOf(await callAs(parts, tool, 'bob')), `tool timed out after ${TIMEOUT_MS} ms`)
  // The thread of that call was ended: this one is in a new thread.
  t.equal(textOf(await callAs(parts, tool)), 'ran')
})

t.test('start: in a thread that took the place of one that died the start does not count either', async t => {
  const parts = isolated(t, `({ who }) => who === 'bob' ? process.reallyExit(3) : 'ran'`, { topLevel: SLOW })
  const tool = parts.toolWith({ timeout: TIMEOUT_MS })

  t.match(textOf(await callAs(parts, tool, 'bob')), /ended the thread that it ran in/)
  t.equal(textOf(await callAs(parts, tool)), 'ran')
})

t.test('start: a file that was changed is loaded anew, in the time of nobody', async t => {
  const source = (answer: string) =>
    `import { isMainThread } from 'node:worker_threads'
if (!isMainThread) ${SLOW}
export default { name: 'slow', isolate: true, timeout: ${TIMEOUT_MS}, handler: () => '${answer}' }`
  const tools = tempFolder(t, { 'slow.mjs': source('one') })
  const app = await rack(t, [], { toolsDir: tools.path, watchTools: false })
  t.equal((await callTool(app, 'slow')).content[0].text, 'one')

  tools.write({ 'slow.mjs': source('two') })
  await app.toolrack.reload()

  t.equal((await callTool(app, 'slow')).content[0].text, 'two')
})

const HANGING = 'await new Promise(() => setInterval(() => {}, 1000))'

t.test('start: it has a bound of its own, past which the thread is ended and its place given to others', async t => {
  const parts = isolated(t, `() => 'ran'`, { topLevel: HANGING, maxStartMs: 300 })
  const tool = parts.toolWith({ timeout: 100 })

  const outcomes = await Promise.all(Array.from({ length: MAX_THREADS }, () => callAs(parts, tool)))
  outcomes.push(await callAs(parts, tool))

  for (const outcome of outcomes) {
    t.match(outcome, { kind: 'timed_out' })
    t.equal(textOf(outcome), 'tool timed out: its thread did not start in 300 ms')
  }
})

t.test(
  'start: who cancels while the thread starts is answered, its handler does not run, and others are served',
  async t => {
    const parts = isolated(t, `({ who }) => { gate().postMessage({ who, id: '' }); return 'ran' }`, {
      topLevel: `gate().postMessage({ who: 'loading', id: '' }); await new Promise(done => setTimeout(done, 50))`,
    })
    const gate = await parts.gate()
    const tool = parts.toolWith()
    const leaving = [new Cancellation(), new Cancellation()]
    const left = leaving.map(cancellation => callAs(parts, tool, 'bob', { cancellation }))

    // One at its very beginning, one while the file is loaded.
    leaving[0]!.cancel('cancelled')
    await until(() => gate.begun.length > 0, 'a thread loads the file')
    leaving[1]!.cancel('client-left')

    for (const outcome of await Promise.all(left)) t.match(outcome, { kind: 'cancelled' })
    t.equal(textOf(await callAs(parts, tool)), 'ran')
    t.strictSame(
      gate.begun.map(({ who }) => who).filter(who => who !== 'loading'),
      ['alice'],
    )
  },
)

t.test('start: a shutdown ends what starts', async t => {
  const name = `start ${Math.random()}`
  const source = `import { BroadcastChannel, isMainThread } from 'node:worker_threads'
if (!isMainThread) {
  new BroadcastChannel('${name}').postMessage('loading')
  ${HANGING}
}
export default { name: 'slow', isolate: true, handler: () => 'ran' }`
  const toolsDir = tempFolder(t, { 'slow.mjs': source }).path
  const app = await rack(t, [], { toolsDir, watchTools: false, drainMs: 50 })
  const channel = new BroadcastChannel(name)
  const loading = new Promise(done => (channel.onmessage = done))
  const calling = callTool(app, 'slow')
  await loading
  channel.close()

  await app.close()

  t.match(await calling, { isError: true, content: [{ text: /shutting down/ }] })
})
