// The log for people: what each line of JSON becomes.
import t from 'tap'
import { PrettyLog } from '../../src/log/pretty-log.ts'

const timeMs = new Date(2026, 10, 27, 11, 30, 42).getTime()
const show = (fields: object, log = new PrettyLog({ hasColour: false })) =>
  log.format(JSON.stringify({ level: 30, time: timeMs, pid: 1, hostname: 'vm', ...fields }))
const CALL = { msg: 'audit', requestId: 'r-1', method: 'tools/call', tool: 'create_note', outcome: 'ok' }
const FIGURES = { durationMs: 7.2, requestBytes: 458, responseBytes: 375 }

for (const [what, fields, expected] of [
  ['a call', { ...CALL, ...FIGURES, address: '127.0.0.1' }, 'call create_note ok 7 ms 458 → 375 B'],
  ['its caller', { ...CALL, ...FIGURES, subject: 'alice' }, 'call create_note ok 7 ms 458 → 375 B alice'],
  [
    'another unit',
    { ...CALL, durationMs: 1234, requestBytes: 458, responseBytes: 1_250_000 },
    'call create_note ok 1.2 s 458 B → 1.3 MB',
  ],
  [
    'a stream',
    { ...CALL, durationMs: 0.2, requestBytes: 9, outcome: 'streaming' },
    'call create_note streaming <1 ms 9 B →',
  ],
  ['a refusal', { ...CALL, outcome: 'refused', kind: 'UNKNOWN_TOOL' }, 'call create_note refused: unknown tool'],
  ['a fault of the tool', { ...CALL, outcome: 'isError', kind: 'tool_error' }, 'call create_note tool error'],
  [
    'no method',
    { msg: 'audit', verb: 'GET', outcome: 'denied', kind: 'UNAUTHENTICATED' },
    'open stream denied: unauthenticated',
  ],
  ['a list', { ...CALL, tool: undefined, method: 'tools/list', ...FIGURES }, 'list tools ok 7 ms 458 → 375 B'],
  ['a resource', { msg: 'audit', method: 'resources/read', uri: 'note://1', outcome: 'ok' }, 'read note://1 ok'],
  [
    'a stream of a session',
    { msg: 'audit', verb: 'GET', outcome: 'streaming', durationMs: 1 },
    'open stream streaming 1 ms',
  ],
  ['its end', { msg: 'audit', verb: 'DELETE', outcome: 'ok', durationMs: 0.1 }, 'end session ok <1 ms'],
  ['an unknown method', { msg: 'audit', method: 'a/b\u001b[2J', outcome: 'ok' }, 'a/b [2J ok'],
  [
    'served, if the audit is elsewhere',
    { msg: 'served', method: 'tools/call', name: 'a', outcome: 'ok', elapsedMs: 7 },
    'call a ok 7 ms',
  ],
  ['the end of a task', { msg: 'task ended', tool: 'a', outcome: 'ok', elapsedMs: 70_000 }, 'task of a ok 70.0 s'],
  [
    'a message',
    { msg: 'tools folder reloaded: tools/a.ts: a (changed)', changed: ['a'] },
    'tools folder reloaded: tools/a.ts: a (changed)',
  ],
  [
    'figures',
    { msg: 'loaded API keys', file: 'keys.json', keys: 2, ended: 0 },
    'loaded API keys: keys.json keys: 2 ended: 0',
  ],
  ['a reason', { msg: 'token refused', reason: 'it has expired', requestId: 'r' }, 'token refused: it has expired'],
  ['a log line of a tool', { msg: 'tool log', tool: 'a', requestId: 'r', entry: 'half way' }, 'a half way'],
  [
    'one with data',
    { msg: 'tool log', level: 40, tool: 'a', entry: { message: 'half way', data: { left: 3 } } },
    'warning a half way {"left":3}',
  ],
  ['the log of a file', { msg: 'tool log', file: 'tools/a.ts', entry: 'opened' }, 'tools/a.ts opened'],
  [
    'a ToolError',
    { msg: 'tool threw', tool: 'a', reason: 'There is no such order.' },
    'a threw: There is no such order.',
  ],
  [
    'a ToolError with its cause',
    { msg: 'tool threw', tool: 'a', reason: 'The shop is closed.', causes: ['connect ECONNREFUSED', 'x'] },
    'a threw: The shop is closed.\n         caused by connect ECONNREFUSED\n         caused by x',
  ],
] as const) {
  t.test(`one line: ${what}`, t => {
    t.equal(show(fields), `11:30:42 ${expected}\n`)
    t.end()
  })
}

t.test('a failure is a paragraph: its own frames first, those of others counted, then its causes', t => {
  const stack = `Error: could not read the order
    at readOrder (tools/orders.ts:9:66)
    at handler (tools/orders.ts:4:3)
    at run (node_modules/toolrack/dist/src/run.js:1:2)
    at process.processTicksAndRejections (node:internal/process/task_queues:1:2)
    at async ${new URL('../../../../packages/isolation/src/entry.ts', import.meta.url).href}:137:24
Caused by: SyntaxError: the text is not valid JSON
    at JSON.parse (<anonymous>)
    at readOrder (tools/orders.ts:8:31)`

  t.equal(
    show({
      level: 40,
      msg: 'tool threw',
      tool: 'get_order',
      reason: 'x',
      at: 'orders.ts:9:66',
      err: { stack },
      before: 3,
    }),
    `11:30:42 warning get_order threw: Error: could not read the order (3 more before it)
           at readOrder (tools/orders.ts:9:66)
           at handler (tools/orders.ts:4:3)
           and 3 frames of Node, packages and the server
         Caused by: SyntaxError: the text is not valid JSON
           at readOrder (tools/orders.ts:8:31)
           and 1 frame of Node, packages and the server
`,
  )
  const again = show({ msg: 'tool threw', tool: 'get_order', err: { stack } })
  t.equal(again, '11:30:42 get_order threw: Error: could not read the order\n', 'the same within seconds')
  t.end()
})

t.test('a fault of the server has the frames of the server counted, too', t => {
  const err = { type: 'Error', message: 'no', stack: new Error('no').stack }

  t.match(
    show({ level: 50, msg: 'internal error', err }),
    /^11:30:42 error internal error: Error: no\n +at .*test\.ts:/,
  )
  t.end()
})

t.test('a warning says what it is about, and below it what to do', t => {
  t.equal(
    show({ level: 50, msg: 'tool file not loaded', file: 'tools/a.ts', line: 4, reason: 'no\u001b[2J default export' }),
    '11:30:42 error tool file not loaded: tools/a.ts:4\n         no [2J default export\n',
  )
  t.equal(
    show({ level: 40, msg: 'likely mistake in a variable', variable: 'BASE_URL', hint: 'did you mean PUBLIC_URL?' }),
    '11:30:42 warning likely mistake in a variable\n         variable: BASE_URL\n         did you mean PUBLIC_URL?\n',
  )
  t.end()
})

t.test('arguments are never shown, also where the audit has them', t => {
  t.notMatch(show({ ...CALL, arguments: { text: 'hush' }, ...FIGURES }), 'hush')
  t.end()
})

t.test('what the log or the audit says already is said once', t => {
  t.equal(show({ msg: 'served', level: 20, method: 'tools/call', outcome: 'ok' }), '')
  t.equal(show({ msg: 'audit', event: 'tools-changed', changed: ['a'] }), '')
  t.match(
    show({ msg: 'audit', event: 'token-exchange', subject: 'alice' }),
    /^11:30:42 audit event: token-exchange subject: alice\n$/,
  )
  t.end()
})

t.test('lists and pings are dimmed, and repeats of one are counted; calls and refusals are not', t => {
  const log = new PrettyLog({ hasColour: false })
  const list = (durationMs: number) => show({ msg: 'audit', method: 'tools/list', outcome: 'ok', durationMs }, log)
  const call = (outcome: string) => show({ ...CALL, outcome }, log)

  t.equal(list(2), '11:30:42 list tools ok 2 ms\n')
  t.equal(list(0.1), '')
  t.equal(list(3), '')
  t.equal(call('ok'), '         2 more of these\n11:30:42 call create_note ok\n')
  t.equal(call('ok'), '11:30:42 call create_note ok\n')
  t.equal(list(2), '11:30:42 list tools ok 2 ms\n')

  const coloured = new PrettyLog({ hasColour: true })
  const time = '\u001b[2m11:30:42\u001b[22m'
  t.equal(show({ msg: 'audit', method: 'ping', outcome: 'ok' }, coloured), `${time} \u001b[2mping ok\u001b[22m\n`)
  t.match(
    show({ msg: 'audit', method: 'ping', outcome: 'denied' }, coloured),
    `${time} ping \u001b[33mdenied\u001b[39m`,
  )
  t.match(show(CALL, coloured), '\u001b[32mok')
  t.notMatch(show(CALL, coloured), / (?:\u001b\[\d+m)*\n/, 'nothing is painted that is not there')
  t.end()
})

t.test('what is not a line of the log stays as it is', t => {
  const log = new PrettyLog({ hasColour: false })

  for (const text of ['hello\n', '7\n', '{"half\n']) t.equal(log.format(text), text)
  t.end()
})
