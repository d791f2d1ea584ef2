import t from 'tap'
import { createClientLog } from '../../../src/execution/client-log.ts'
import { createMask } from '../../../src/execution/mask.ts'
import { defineTool } from '../../../src/index.ts'
import { LOG_LEVELS, type LogLevel } from '../../../src/protocol/schemas/common.ts'
import { build, call, META } from '../../support/app.ts'
import { type FakeLog, FakeSink, fakeExchange, fakeLog } from '../../support/fakes.ts'

function logger(logLevel?: LogLevel) {
  const sink = new FakeSink()
  const lines: FakeLog = fakeLog()
  const exchange = fakeExchange({ sink, log: lines, logLevel })
  return { sink, exchange, lines: lines.lines, log: createClientLog('tool', exchange, createMask(['secret-value'])) }
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
  ['a BigInt', [{ a: 1n }], '(not logged: a is a bigint)'],
  ['nothing', [undefined], '(not logged: (root) is undefined)'],
  ['an Error', [new Error('x')], '(not logged: (root) is a Error, not a plain object)'],
  ['more than 32 KiB', ['x'.repeat(40_000)], '(not logged: larger than 32768 bytes)'],
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
