// What a tool throws, and when.
import t from 'tap'
import { defineTool, ToolError } from '../../../src/index.ts'
import { attack, CANARY, failure, rack } from '../../support/security/hostile.ts'

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
  ['an object without a message', () => ({ unit: 'cm' }), WITHOUT_MESSAGE],
  ['an object with a code', () => ({ code: 'E_NO' }), 'E_NO'],
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
    t.equal(
      app.logs.lines.filter(({ level, msg }) => level >= 50 && msg !== 'tool threw').length,
      0,
      'no fault of ours',
    )
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
  const app = await rack(t, [tool], { limits: { toolTimeout: 200 } })

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
