// Section D of the catalogue: what a tool throws, when it does, and what that may tell.
import t from 'tap'
import { defineTool, ToolError, Type } from '../../src/index.ts'
import { call } from '../helper.ts'
import { assertClean, attack, CANARY, callOver, failure, rack, serve, until } from './hostile.ts'

const WITHOUT_MESSAGE = 'The tool failed without a message'
const UNREADABLE = 'The tool failed with an error that cannot be read'

const circular: Record<string, unknown> = { message: 'round and round' }
circular['self'] = circular

const bomb = () => {
  throw new Error(`set off, ${CANARY}`)
}
const THROWN: [what: string, make: () => unknown, text: string][] = [
  ['an Error', () => new Error('out of stock'), 'out of stock'],
  ['a ToolError', () => new ToolError('try another SKU'), 'try another SKU'],
  ['an AggregateError', () => new AggregateError([new Error('hidden')], 'all failed'), 'all failed'],
  ['a string', () => 'just a text', 'just a text'],
  ['undefined', () => undefined, WITHOUT_MESSAGE],
  ['null', () => null, WITHOUT_MESSAGE],
  ['a number', () => 42, '42'],
  ['a BigInt', () => 10n, '10'],
  ['a Symbol', () => Symbol('lost'), 'Symbol(lost)'],
  ['a function', () => () => CANARY, WITHOUT_MESSAGE],
  ['a class', () => class Forgotten extends Error {}, WITHOUT_MESSAGE],
  ['a circular object', () => circular, 'round and round'],
  ['an object without a message', () => ({ code: 'E_NO' }), WITHOUT_MESSAGE],
  ['an object whose message is no text', () => ({ message: { toString: bomb } }), WITHOUT_MESSAGE],
  [
    'an object whose message throws',
    () => ({
      get message() {
        return bomb()
      },
    }),
    UNREADABLE,
  ],
  ['an object whose toString throws', () => ({ toString: bomb }), WITHOUT_MESSAGE],
  ['an object whose toPrimitive throws', () => ({ [Symbol.toPrimitive]: bomb }), WITHOUT_MESSAGE],
  // biome-ignore lint/suspicious/noThenProperty: that is the case
  ['an object whose then throws', () => ({ message: 'thenable', then: bomb }), 'thenable'],
  [
    'a proxy that throws',
    () => new Proxy({}, { get: bomb, getPrototypeOf: bomb, has: bomb, ownKeys: bomb }),
    UNREADABLE,
  ],
  ['a revoked proxy', revoked, UNREADABLE],
  ['an Error with an empty message', () => new Error(''), WITHOUT_MESSAGE],
]

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

for (const [what, make, text] of THROWN) {
  t.test(`D1: ${what} that is thrown is a tool error with its message, at once or later`, async t => {
    const atOnce = defineTool({
      name: 'at-once',
      handler() {
        throw make()
      },
    })
    const later = defineTool({
      name: 'later',
      async handler() {
        await null
        throw make()
      },
    })
    const app = await rack(t, [atOnce, later])

    t.equal(failure(await attack(app, 'at-once')), text)
    t.equal(failure(await attack(app, 'later')), text)
    t.equal(app.logs.lines.filter(({ msg }) => msg === 'tool threw').length, 2)
    t.equal(app.logs.lines.filter(({ level }) => level >= 50).length, 0, 'no fault of ours')
  })
}

t.test('D1: a thenable that is returned and throws is a tool error', async t => {
  // biome-ignore lint/suspicious/noThenProperty: that is the case
  const tool = defineTool({ name: 'thenable', handler: () => ({ then: bomb }) })
  const app = await rack(t, [tool])

  t.equal(failure(await attack(app, 'thenable')), 'set off, [secret]')
})

t.test('D1: a thenable that answers twice is answered once', async t => {
  const tool = defineTool({
    name: 'twice',
    handler: () => ({
      // biome-ignore lint/suspicious/noThenProperty: that is the case
      then(resolve: (value: string) => void, reject: (error: Error) => void) {
        resolve('first')
        resolve('second')
        reject(new Error('third'))
      },
    }),
  })
  const app = await rack(t, [tool])

  t.equal((await attack(app, 'twice')).result.content[0].text, 'first')
})

t.test('D1: a promise whose constructor throws is a tool error', async t => {
  const tool = defineTool({
    name: 'promise',
    handler: () => Object.defineProperty(Promise.resolve('x'), 'constructor', { get: bomb }),
  })
  const app = await rack(t, [tool], { toolTimeoutMs: 200 })

  const reply = await attack(app, 'promise')

  t.equal(reply.result.content.length, 1)
})

t.test('D1: the text is one line of at most 2,000 characters', async t => {
  const long = defineTool({
    name: 'long',
    handler() {
      throw new Error(`first\r\nsecond\n\n\tthird\u2028fourth ${'\u{1f600}'.repeat(5000)}`)
    },
  })
  const app = await rack(t, [long])

  const text = failure(await attack(app, 'long'))

  t.match(text, /^first second third fourth /)
  t.ok(text.length <= 2000 && text.length > 1990)
  t.ok(text.isWellFormed(), 'no half of a character')
})

t.test('D1: with ERROR_MESSAGES=tool-errors only a ToolError is shown, and the reference is in the log', async t => {
  const meant = defineTool({
    name: 'meant',
    handler() {
      throw new ToolError('try another SKU')
    },
  })
  const unmeant = defineTool({
    name: 'unmeant',
    handler() {
      throw new TypeError('x is not a function')
    },
  })
  const app = await rack(t, [meant, unmeant], { errorMessages: 'tool-errors' })

  t.equal(failure(await attack(app, 'meant')), 'try another SKU')
  const text = failure(await attack(app, 'unmeant'))

  const [, reference] = /^Tool failed \(ref (\S+)\)$/.exec(text) ?? []
  t.ok(reference)
  t.match(
    app.logs.lines.find(({ requestId, msg }) => requestId === reference && msg === 'tool threw'),
    { tool: 'unmeant', reason: 'x is not a function' },
  )
})

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLWhlcmU'
const SECRETS: [what: string, text: string, left: string, gone: string][] = [
  ['credentials of a URL', 'cannot reach postgres://admin:hunter2@db/x', 'postgres://[credentials]@db', 'hunter2'],
  ['a key of a provider', 'bad key sk-proj-abcdefghijklmnop', 'bad key [secret]', 'abcdefghijklmnop'],
  ['a token', `rejected ${JWT}`, 'rejected [token]', 'eyJhbGciOiJIUzI1NiJ9'],
  ['a header', 'sent Authorization: Bearer abcdef123456', 'Bearer [token]', 'abcdef123456'],
  ['a path', `ENOENT: no such file, open '${process.cwd()}/data/prices.csv'`, "open '[path]'", 'prices.csv'],
  ['a file URL', `Cannot find module ${import.meta.url}`, 'Cannot find module [path]', 'd-throws'],
  ['a secret of the environment', `the key ${CANARY} was refused`, 'the key [secret] was refused', CANARY],
]

for (const [what, text, left, gone] of SECRETS) {
  t.test(`D2: ${what} in an error's text leaves neither in the reply nor in the log`, async t => {
    const tool = defineTool({
      name: 'leaky',
      handler() {
        throw new ToolError(text, { cause: new Error(`because of ${text}`, { cause: CANARY }) })
      },
    })
    const app = await rack(t, [tool])

    const shown = failure(await attack(app, 'leaky'))

    t.match(shown, left)
    t.notMatch(shown, 'because of')
    t.notMatch(shown + app.logs.text, gone)
  })
}

t.test('D2: an error whose name, stack and cause are secret shows its message only', async t => {
  const tool = defineTool({
    name: 'leaky',
    handler() {
      const error = new Error('failed', { cause: { password: CANARY } })
      throw Object.assign(error, { name: CANARY, stack: `Error: ${CANARY}`, response: { headers: CANARY } })
    },
  })
  const app = await rack(t, [tool])

  t.equal(failure(await attack(app, 'leaky')), 'failed')
})

t.test('D2: what a tool logs is masked for the log and the client, its faults too', async t => {
  const tool = defineTool({
    name: 'chatty',
    handler(_args, { log }) {
      log.error('refused', { key: CANARY, nested: [{ at: `${process.cwd()}/x/y.ts` }] })
      log.error({
        get key() {
          return bomb()
        },
      })
      return 'done'
    },
  })
  const app = await rack(t, [tool])

  const reply = await attack(app, 'chatty', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } })

  t.match(
    reply.notifications.map(({ params }) => params.data),
    [{ message: 'refused', data: { key: '[secret]', nested: [{ at: '[path]' }] } }, '(not logged: set off, [secret])'],
  )
})

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
    server.lines.filter(({ tool, msg }) => tool === name && msg === 'tool left an error behind')

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

t.test('D8: process.exit in a handler is a tool error', async t => {
  const server = await serve(t, {
    'one.mjs': `export default { name: 'one', handler() { process.exit(3) } }`,
    'two.mjs': `${IMPORTS}export default { name: 'two', async handler() { await null; exit() } }`,
  })

  for (const name of ['one', 'two']) {
    const { body } = await callOver(server.url, name)
    t.match(body.result, { isError: true, content: [{ text: `${name} tried to end the process` }] })
  }

  t.match((await callOver(server.url, 'probe')).body.result.content[0].text, 'alive')
})

t.test('D8: a fault that belongs to no tool drains: the call under way is answered, the code is 1, once', async t => {
  const server = await serve(t, {
    'slow.mjs': `setTimeout(() => { throw new Error('nobody') }, 1500)
      export default { name: 'slow', handler: () => new Promise(done => setTimeout(done, 1500, 'finished')) }`,
  })
  await until(() => server.lines.length > 0, 'it logged')

  const { body } = await callOver(server.url, 'slow')

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
