// What tools leave behind, in a process of its own, and what they write into its log.
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { assertClean, attack, failure, rack, until } from '../../support/security/hostile.ts'
import { callOver, serve } from '../../support/servers/own-process.ts'

// Each has a process of its own, so they run beside each other.
t.jobs = 3

const LATE: [what: string, source: string][] = [
  ['a rejection that nobody awaits', `Promise.reject(new Error('late ' + process.env.SOME_API_KEY))`],
  ['a rejection after the answer', `setTimeout(() => Promise.reject(new Error('late')), 20)`],
  ['a throw in a timer after the answer', `setTimeout(() => { throw new Error('late') }, 20)`],
  ['a throw in a microtask', `queueMicrotask(() => { throw new Error('late') })`],
  ['a throw in an immediate', `setImmediate(() => { throw { message: 'late' } })`],
  ['an error event that nobody hears', `setTimeout(() => new EventEmitter().emit('error', new Error('late')), 20)`],
  ['process.exit in a timer', `setTimeout(() => process.exit(3), 20)`],
  ['exit of node:process in a timer', `setTimeout(() => exit(3), 20)`],
]
const IMPORTS = `import { EventEmitter } from 'node:events'\nimport { exit } from 'node:process'\n`

t.test('D8: what a tool leaves behind is logged with its name, and the process serves on', async t => {
  const files = Object.fromEntries(
    LATE.map(([, source], index) => [
      `late-${index}.mjs`,
      `${IMPORTS}export default { name: 'late-${index}', handler() { ${source}; return 'answered' } }`,
    ]),
  )
  const slow = `export default { name: 'slow', handler: () => new Promise(done => setTimeout(done, 900, 'finished')) }`
  const server = await serve(t, { ...files, 'slow.mjs': slow })
  const underWay = callOver(server.url, 'slow')
  const reports = (name: string) =>
    server.lines.filter(({ tool, msg }) => tool === name && msg === 'unhandled error of a tool')

  for (const [index, [what]] of LATE.entries()) {
    const { body } = await callOver(server.url, `late-${index}`)
    await until(() => reports(`late-${index}`).length > 0, `${what} was logged`)

    t.equal(body.result.content[0].text, 'answered', what)
    t.equal(reports(`late-${index}`).length, 1, `${what}: one line`)
    t.match(reports(`late-${index}`)[0].reason, /^late|tried to end the process$/)
  }

  t.match((await underWay).body.result.content[0].text, 'finished')
  t.match((await callOver(server.url, 'probe')).body.result.content[0].text, 'alive')
  assertClean(server.stdout)
  server.child.kill('SIGTERM')
  t.equal(await server.exited, 0)
})

t.test('D8: process.exit in a handler is a tool error, and so is whatever else would end the process', async t => {
  const server = await serve(t, {
    'one.mjs': `export default { name: 'one', handler() { process.exit(3) } }`,
    'two.mjs': `${IMPORTS}export default { name: 'two', async handler() { await null; exit() } }`,
    'three.mjs': `export default { name: 'three', handler() { process.abort() } }`,
    'four.mjs': `export default { name: 'four', handler() { process.kill(process.pid, 'SIGKILL') } }`,
  })

  for (const name of ['one', 'two', 'three', 'four']) {
    const { body } = await callOver(server.url, name)
    t.match(body.result, { isError: true, content: [{ text: `${name} tried to end the process` }] })
  }

  t.match((await callOver(server.url, 'probe')).body.result.content[0].text, 'alive')
})

/** A fault of the program that runs the server, on a signal: nothing that a tool, or its file, has begun. */
const OWN_FAULT = `data:text/javascript,process.on('SIGUSR2',()=>setTimeout(()=>{throw(new(Error)('nobody'))}))`

t.test('D8: a fault that belongs to no tool drains: the call under way is answered, the code is 1, once', async t => {
  const server = await serve(
    t,
    {
      'slow.mjs': `export default { name: 'slow', handler() {
        console.log('called')
        return new Promise(done => setTimeout(done, 500, 'finished'))
      } }`,
    },
    { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import "${OWN_FAULT}"` },
  )
  const answered = callOver(server.url, 'slow')
  await until(() => server.stdout.includes('called'), 'the call began')
  server.child.kill('SIGUSR2')

  const { body } = await answered

  t.equal(body.result.content[0].text, 'finished')
  t.equal(await server.exited, 1)
  t.equal(server.lines.filter(({ msg }) => msg === 'uncaught error, draining').length, 1)
})

const INJECTION = 'x\n{"level":60,"msg":"forged"}\r\n\u2028{"msg":"forged"}'

t.test('D19: a line break in arguments, names or errors makes no second line in the log', async t => {
  const tool = defineTool({
    name: 'echo',
    inputSchema: Type.Object({ text: Type.String() }),
    handler({ text }, { log }) {
      log.warning(text, { [text]: text })
      throw new Error(text)
    },
  })
  const app = await rack(t, [tool])
  const before = app.logs.text.split('\n').length

  const text = failure(await attack(app, 'echo', { text: INJECTION }))
  await attack(app, 'echo', { [INJECTION]: 1 })
  await call(app, 'tools/call', { name: INJECTION, arguments: {} }, { headers: { 'mcp-name': base64(INJECTION) } })
  await call(app, INJECTION, {}, { headers: { 'mcp-method': 'x' } })

  t.notMatch(text, /[\r\n\u2028]/)
  const lines = app.logs.text.trim().split('\n')
  t.ok(lines.length > before)
  for (const line of lines) t.not(JSON.parse(line).msg, 'forged')
})

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
