import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createClientLog } from '../../../src/execution/client-log.ts'
import { createMask } from '../../../src/execution/mask.ts'
import { defineTool } from '../../../src/index.ts'
import { LOG_LEVELS, type LogLevel } from '../../../src/protocol/schemas/common.ts'
import { build, call, META } from '../../support/app.ts'
import { everyDoor } from '../../support/every-door.ts'
import { type FakeLog, FakeSink, fakeExchange, fakeLog } from '../../support/fakes.ts'

// Processes of isolated tools start slowly on a busy machine.
t.setTimeout(120_000)

function logger(logLevel?: LogLevel) {
  const sink = new FakeSink()
  const lines: FakeLog = fakeLog()
  const exchange = fakeExchange({ sink, log: lines, logLevel })
  const parts = { mask: createMask(['secret-value']), rules: { clientLogging: true } }
  return { sink, exchange, lines: lines.lines, log: createClientLog('tool', exchange, parts) }
}

for (const [index, least] of LOG_LEVELS.entries()) {
  t.test(`log: a client that asks for ${least} gets that level and those above it`, t => {
    const { log, sink } = logger(least)

    for (const level of LOG_LEVELS) log[level](`at ${level}`)

    t.strictSame(
      sink.messages.map(({ params }) => params.level),
      LOG_LEVELS.slice(index),
    )
    t.end()
  })
}

t.test('log: a client that asks for no level gets nothing; the server’s log gets all', t => {
  const { log, sink, lines } = logger()

  for (const level of LOG_LEVELS) log[level](`at ${level}`)

  t.strictSame(sink.messages, [])
  t.strictSame(
    lines.map(({ level }) => level),
    ['debug', 'info', 'info', 'warn', 'error', 'error', 'error', 'error'],
  )
  t.match(lines[0], { fields: { tool: 'tool', requestId: 'request-1', entry: 'at debug' }, text: 'tool log' })
  t.end()
})

function circle(): object {
  const value: Record<string, unknown> = { id: 1 }
  return Object.assign(value, { self: value })
}

function circularError(): Error {
  const error = new Error('x')
  return Object.assign(error, { cause: error })
}

const nest = (levels: number, inmost: unknown = {}): unknown =>
  levels === 0 ? inmost : { a: nest(levels - 1, inmost) }

const thrower = () => {
  throw new Error('no')
}

const ENTRIES: [what: string, args: [unknown, unknown?], data: unknown][] = [
  ['a text', ['plain'], 'plain'],
  ['a value', [{ a: [1, null, true] }], { a: [1, null, true] }],
  ['null', [null], null],
  ['a text and data', ['plain', { a: 1 }], { message: 'plain', data: { a: 1 } }],
  [
    'a secret',
    ['the secret-value', { deep: ['secret-value'] }],
    { message: 'the [secret]', data: { deep: ['[secret]'] } },
  ],
  [
    'what is named as a secret',
    [{ password: 'hunter2', 'x-api-key': 7, Authorization: ['Bearer', 'abc'], in: [{ db_passwd: { old: 'x' } }] }],
    { password: '[secret]', 'x-api-key': '[secret]', Authorization: '[secret]', in: [{ db_passwd: '[secret]' }] },
  ],
  [
    'what only sounds like one',
    [{ token: null, hasPassword: true, inputTokens: 12, max_tokens: 100, passport: 'x', author: 'y' }],
    { token: null, hasPassword: true, inputTokens: 12, max_tokens: 100, passport: 'x', author: 'y' },
  ],
  ['a text and a secret', ['signed in', { token: 'abc' }], { message: 'signed in', data: { token: '[secret]' } }],
  ['a secret as a name', [{ ghp_abcdefghijklmnop: 1 }], { '[secret]': 1 }],
  [
    'a text and an error',
    ['sync failed', new TypeError('no secret-value', { cause: new Error('refused by postgres://u:p@db/x') })],
    {
      message: 'sync failed',
      data: {
        name: 'TypeError',
        message: 'no [secret]',
        cause: { name: 'Error', message: 'refused by postgres://[credentials]@db/x' },
      },
    },
  ],
  ['an error', [new Error('x')], { name: 'Error', message: 'x' }],
  [
    'an error in a value',
    [{ shop: 7, err: Object.assign(new RangeError('x'), { code: '23505', detail: 'left out' }) }],
    { shop: 7, err: { name: 'RangeError', message: 'x', code: '23505' } },
  ],
  [
    'an AggregateError',
    ['down', new AggregateError([new Error('a'), 'b'])],
    {
      message: 'down',
      data: { name: 'AggregateError', message: 'a; b', errors: [{ name: 'Error', message: 'a' }, 'b'] },
    },
  ],
  ['an error of another realm', [runInNewContext('new RangeError("x")')], { name: 'RangeError', message: 'x' }],
  ['an object of another realm', [runInNewContext('({ a: [1] })')], { a: [1] }],
  [
    'what JSON has not',
    [
      'late order',
      {
        at: new Date(0),
        big: 2n ** 64n,
        small: 1n,
        ratio: Number.NaN,
        by: new Map([[1, new Set(['a'])]]),
        url: new URL('https://a.example/x'),
        pattern: /a b/,
        price: new (class Price {
          amount = 1
        })(),
        gone: undefined,
        call: () => 1,
        list: [undefined, () => 1],
        bytes: new Uint8Array(2),
        never: Promise.resolve(1),
        bad: new Date(Number.NaN),
      },
    ],
    {
      message: 'late order',
      data: {
        at: '1970-01-01T00:00:00.000Z',
        big: '18446744073709551616',
        small: 1,
        ratio: 'NaN',
        by: { 1: ['a'] },
        url: 'https://a.example/x',
        pattern: '/a b/',
        price: { amount: 1 },
        list: [null, null],
        bytes: '(not logged: it is bytes)',
        never: '(not logged: it is a promise)',
        bad: '(not logged: it is an invalid date)',
      },
    },
  ],
  [
    'a circular value',
    ['round', circle()],
    { message: 'round', data: { id: 1, self: '(not logged: it is circular)' } },
  ],
  [
    'an error that is its own cause',
    [circularError()],
    { name: 'Error', message: 'x', cause: '(not logged: it is circular)' },
  ],
  [
    'many causes',
    [['a', 'b', 'c', 'd', 'e'].reduce<unknown>((cause, text) => new Error(text, { cause }), undefined)],
    {
      name: 'Error',
      message: 'e',
      cause: {
        name: 'Error',
        message: 'd',
        cause: { name: 'Error', message: 'c', cause: { name: 'Error', message: 'b' } },
      },
    },
  ],
  [
    'a getter that throws',
    ['kept', Object.assign(Object.defineProperty({}, 'a', { enumerable: true, get: thrower }), { ok: 1 })],
    { message: 'kept', data: { a: '(not logged: reading it threw an error)', ok: 1 } },
  ],
  [
    'a toJSON that throws',
    ['kept', [{ toJSON: thrower }, 1]],
    { message: 'kept', data: ['(not logged: reading it threw an error)', 1] },
  ],
  [
    'a text within data that is over 4 KiB',
    ['kept', { err: new Error('x'.repeat(40_000), { cause: new Error('root') }), shop: 7 }],
    {
      message: 'kept',
      data: {
        err: { name: 'Error', message: `${'x'.repeat(4095)}…`, cause: { name: 'Error', message: 'root' } },
        shop: 7,
      },
    },
  ],
  [
    'a key that is __proto__',
    ['kept', JSON.parse('{ "__proto__": 1, "ok": 2 }')],
    { message: 'kept', data: { '(__proto__)': 1, ok: 2 } },
  ],
  [
    'data that is deep',
    ['kept', { ok: 1, deep: nest(150) }],
    { message: 'kept', data: { ok: 1, deep: nest(99, '(not logged: it is nested deeper than 100)') } },
  ],
  ['keys that become equal', ['kept', { id: 1, 'id\u200b': 2 }], { message: 'kept', data: { id: 1, 'id (2)': 2 } }],
  [
    'two secrets as names',
    [{ ghp_abcdefghijklmnop: 1, ghp_abcdefghijklmnoq: 2 }],
    { '[secret]': 1, '[secret] (2)': 2 },
  ],
  ['nothing', [undefined], '(not logged: it is undefined)'],
]

for (const [what, args, data] of ENTRIES) {
  t.test(`log: ${what} that is logged reaches the client and the server’s log`, t => {
    const { log, sink, lines } = logger('debug')

    log.warning(...args)

    t.strictSame(sink.messages, [
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'warning', logger: 'tool', data } },
    ])
    t.strictSame(lines[0]?.fields, { tool: 'tool', requestId: 'request-1', entry: data })
    t.end()
  })
}

const LARGE: [what: string, args: [unknown, unknown?], end: RegExp][] = [
  ['a text', ['x'.repeat(40_000)], /^"x{32000,}…"$/],
  ['a text with data', ['x'.repeat(40_000), { shop: 7 }], /x…","data":\{"shop":7\}\}$/],
  [
    'a list before a text',
    ['late', { list: Array.from({ length: 30_000 }, () => 'x'), shop: 7 }],
    /"x","\(not logged: \d+ more\)"\],"shop":7\}\}$/,
  ],
  [
    'an object of many members',
    [Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [at, 'x']))],
    /"x","…":"\(not logged: \d+ more\)"\}$/,
  ],
]

for (const [what, args, end] of LARGE) {
  t.test(`log: ${what} of over 32 KiB is cut, and what comes after it stays`, async t => {
    const { log, lines } = logger()

    log.warning(...args)

    const entry = JSON.stringify((lines[0]!.fields as { entry: unknown }).entry)
    t.ok(entry.length > 30_000 && entry.length <= 32 * 1024 + 100, `${entry.length}`)
    t.match(entry, end)
  })
}

t.test('log: a cut leaves no half of a secret', async t => {
  const { log, lines } = logger()

  for (const within of [4090, 4590, 4600])
    log.warning('kept', [`${' '.repeat(within - 6)}secret-value${'x'.repeat(9000)}`])

  t.notMatch(JSON.stringify(lines), /secret-/)
})

t.test('log: while the reader lags entries are dropped, and come again once it has caught up', t => {
  const { log, sink, lines } = logger('debug')
  sink.room = 2
  for (let line = 1; line <= 10; line++) log.info(line)
  t.equal(sink.messages.length, 2)

  sink.drain()
  log.info('again')

  t.equal(sink.messages.at(-1).params.data, 'again')
  t.equal(lines.length, 11)
  t.end()
})

t.test('log: after the call was given up the server’s log still gets what is said, the client does not', t => {
  const { log, sink, exchange, lines } = logger('debug')

  exchange.cancellation.cancel('deadline')
  log.info('rolled back')

  t.strictSame(sink.messages, [])
  t.equal(lines.length, 1)
  t.end()
})

const chatty = defineTool({
  name: 'chatty',
  handler(_args, { log }) {
    log.debug('detail')
    log.error('problem', { code: 7 })
    return 'done'
  },
})

t.test('log: over HTTP, with a level, the entries come before the result', async t => {
  const app = await build(t, { tools: [chatty] })

  const { headers, notifications, result } = await call(
    app,
    'tools/call',
    { name: 'chatty' },
    { meta: { [`${META}logLevel`]: 'warning' } },
  )

  t.match(headers['content-type'], /^text\/event-stream/)
  t.match(notifications, [
    { method: 'notifications/message', params: { level: 'error', logger: 'chatty', data: { message: 'problem' } } },
  ])
  t.equal(notifications.length, 1)
  t.equal(result.content[0].text, 'done')
})

t.test('log: over HTTP, without a level, the answer is plain JSON', async t => {
  const app = await build(t, { tools: [chatty] })

  const { headers, notifications } = await call(app, 'tools/call', { name: 'chatty' })

  t.match(headers['content-type'], /^application\/json/)
  t.strictSame(notifications, [])
})

t.test('log: a level that is none is refused with -32602', async t => {
  const app = await build(t, { tools: [chatty] })

  const { error } = await call(app, 'tools/call', { name: 'chatty' }, { meta: { [`${META}logLevel`]: 'loud' } })

  t.equal(error.code, -32602)
})

t.test('log: the message of a log entry is kept, with its error, behind every door', async t => {
  const handler = `(_args, { log }) => {
    log.error('sync of shop 7 failed', new Error('refused by shop 7', { cause: new Error('sk-aaaaaaaaaaaaaaaaaaaa') }))
    log.info('late order', { at: new Date(0), ratio: 0 / 0 })
    return 'ok'
  }`
  const { app, askAll } = await everyDoor(t, { sync: handler })

  for (const [door, text] of Object.entries(await askAll('sync'))) t.equal(text, 'ok', door)
  const entries = app.logs.lines.filter(({ msg }) => msg === 'tool log').map(({ entry }) => entry)
  t.equal(entries.length, 10)
  for (const entry of entries) {
    const error = {
      name: 'Error',
      message: 'refused by shop 7',
      cause: { name: 'Error', message: '[secret]' },
    }
    t.strictSame(
      entry,
      entry.message === 'late order'
        ? { message: 'late order', data: { at: '1970-01-01T00:00:00.000Z', ratio: 'NaN' } }
        : { message: 'sync of shop 7 failed', data: error },
    )
  }
})
