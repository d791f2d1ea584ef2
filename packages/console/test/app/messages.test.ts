import t from 'tap'
import { addMessage, type Call, MAX_CALL_MESSAGES, MAX_LOG_ENTRIES } from '../../app/src/calls/call.ts'
import { backoffMs, MAX_TRIES } from '../../app/src/client/backoff.ts'
import { CallLinks } from '../../app/src/client/call-links.ts'
import { parseMessages } from '../../app/src/client/json-rpc.ts'
import { findChange } from '../../app/src/client/list-changes.ts'
import {
  type HttpExchange,
  type LoggedMessage,
  MAX_MESSAGE_CHARACTERS,
  MAX_MESSAGES,
  MAX_REPEATS,
  MessageLog,
} from '../../app/src/client/message-log.ts'
import { createRecordingFetch } from '../../app/src/client/recording-fetch.ts'
import { FrameStore } from '../../app/src/client/store.ts'
import { toJsonLines } from '../../app/src/messages/export.ts'
import { groupRepeats } from '../../app/src/messages/groups.ts'
import { toRows } from '../../app/src/messages/rows.ts'
import { reformatJson } from '../../app/src/parts/json-layout.ts'
import { QuestionQueue } from '../../app/src/questions/question-queue.ts'

const CALL: Call = {
  id: 1,
  tool: 'a',
  args: {},
  startedAt: 0,
  status: 'running',
  logs: [],
  logCount: 0,
  messages: [],
  messageCount: 0,
}

/** What a message is without more. */
const PLAIN: Omit<LoggedMessage, 'seq' | 'at' | 'characters'> = {
  direction: 'received',
  kind: 'answer',
  summary: 'result',
  http: 1,
  verb: 'POST',
  path: '/mcp',
  text: '{}',
  bytes: 2,
  isError: false,
}

t.test('the log keeps the newest messages, each cut', async t => {
  const log = new MessageLog()
  for (let index = 0; index <= MAX_MESSAGES; index++)
    log.add({ ...PLAIN, summary: String(index), text: 'x'.repeat(index === MAX_MESSAGES ? 200_000 : 1) })
  const messages = log.messages.get()

  t.equal(messages.length, MAX_MESSAGES)
  t.equal(messages[0]!.summary, '1')
  t.equal(messages.at(-1)!.text.length, MAX_MESSAGE_CHARACTERS)
  t.equal(messages.at(-1)!.characters, 200_000)
})

const progress = (times: number, http = 1) => ({
  ...PLAIN,
  kind: 'notification' as const,
  method: 'notifications/progress',
  http,
  text: String(times),
  repeats: { times, bytes: 2 * times },
})

t.test('thousands of progress events push out each other, and nothing else', async t => {
  const log = new MessageLog()
  log.add({ ...PLAIN, direction: 'sent', kind: 'request', method: 'tools/call' })
  for (let times = 1; times <= 3 * MAX_MESSAGES; times++) log.add(progress(times))
  log.add(PLAIN)
  const messages = log.messages.get()

  t.equal(messages.length, MAX_REPEATS + 2)
  t.match(messages[0], { method: 'tools/call' })
  t.equal(messages[1]!.text, String(3 * MAX_MESSAGES - MAX_REPEATS + 1))
  t.match(groupRepeats(messages), [{ times: 1 }, { times: 3 * MAX_MESSAGES, bytes: 6 * MAX_MESSAGES }, { times: 1 }])
})

const EXCHANGE = { verb: 'POST', path: '/mcp', requestHeaders: [] }
const REQUEST = { ...PLAIN, direction: 'sent' as const, kind: 'request' as const, method: 'tools/call', name: 'a' }

t.test('a row has a request with its answer, also if a connection counts from 1 again', async t => {
  const log = new MessageLog()
  for (const [index, isError] of [false, true].entries()) {
    const { seq: http } = log.open({ ...EXCHANGE, method: 'tools/call' })
    log.add({ ...REQUEST, http, id: 1, text: String(index) })
    log.change(http, { status: 200, answeredAt: Date.now() })
    log.add({ ...PLAIN, http, id: 1, isError, status: 200, summary: isError ? 'error -32602' : 'result', bytes: 9 })
    log.change(http, { endedAt: Date.now(), bytes: 9 })
  }

  t.match(toRows(log.messages.get(), log.exchanges.get()), [
    {
      method: 'tools/call',
      name: 'a',
      status: '200',
      isError: false,
      bytes: 9,
      tookMs: Number,
      request: { text: '0' },
    },
    { method: 'tools/call', status: '200 · -32602', isError: true, request: { text: '1' } },
  ])
})

t.test('a row says what became of a request without an answer', async t => {
  const log = new MessageLog()
  const send = (change: Partial<HttpExchange>, verb = 'POST') => {
    const { seq: http } = log.open({ ...EXCHANGE, verb })
    if (verb === 'POST') log.add({ ...REQUEST, http, id: http })
    log.change(http, change)
  }
  const endedAt = Date.now()
  send({})
  send({ status: 202, endedAt })
  send({ failure: 'Failed to fetch', endedAt })
  send({ status: 200, isStream: true }, 'GET')
  send({ status: 403, endedAt })

  t.match(toRows(log.messages.get(), log.exchanges.get()), [
    { status: 'waits', isOpen: true },
    { status: '202', isError: false, isOpen: false },
    { status: 'no answer', isError: true, isOpen: false },
    { method: 'GET', name: '/mcp', status: 'open', isOpen: true },
    { status: '403', isError: true },
  ])
})

t.test('an answer whose request is gone has a row, and so has a question with our answer', async t => {
  const log = new MessageLog()
  const { seq: http } = log.open({ ...EXCHANGE, method: 'tools/call', name: 'a' })
  log.clear()
  log.add({ ...PLAIN, http, id: 7, kind: 'request', method: 'elicitation/create', name: 'Sure?' })
  log.add({ ...PLAIN, http: 99, direction: 'sent', id: 7 })
  log.add({ ...PLAIN, http, id: 1, status: 200 })

  t.match(toRows(log.messages.get(), log.exchanges.get()), [
    { direction: 'received', method: 'elicitation/create', name: 'Sure?', answer: { direction: 'sent' } },
    { direction: 'sent', method: 'tools/call', name: 'a', status: '200' },
  ])
})

t.test('an export keeps every digit, and says what is cut', async t => {
  const log = new MessageLog()
  log.add({ ...PLAIN, status: 200, headers: [['mcp-session-id', 's-1']], text: '{"n":\n12345678901234567890}' })
  log.add({ ...PLAIN, text: 'x'.repeat(MAX_MESSAGE_CHARACTERS + 1) })
  const file = toJsonLines(log.messages.get(), { server: { name: 's', version: '1' }, revision: undefined, at: 0 })
  const [head, first, second] = file.split('\n')

  t.match(JSON.parse(head!), { messages: 2, exportedAt: '1970-01-01T00:00:00.000Z' })
  t.match(first, /"message":\{"n": 12345678901234567890\}\}$/)
  t.notMatch(first, /s-1/)
  t.match(JSON.parse(second!), { cut: { kept: MAX_MESSAGE_CHARACTERS, of: MAX_MESSAGE_CHARACTERS + 1 } })
})

t.test('headers that may hold a credential are named only', async t => {
  const log = new MessageLog()
  const asked = createRecordingFetch({
    log,
    links: new CallLinks(),
    fetch: async () => Response.json({ id: 1, result: {} }, { headers: { 'x-token': 'canary-2' } }),
    onMessage: () => {},
    onAnswer: () => {},
  })
  const headers = { authorization: 'Bearer canary-0', 'X-API-Key': 'canary-1', 'mcp-method': 'ping' }
  await asked('http://127.0.0.1/mcp', { method: 'POST', body: '{"id":1,"method":"ping"}', headers })

  const kept = JSON.stringify([log.messages.get(), log.exchanges.get()])
  t.notMatch(kept, /canary|authorization/)
  t.match(kept, /x-api-key/)
  t.match(kept, /ping/)
})

t.test('repeats on two streams are two groups', async t => {
  const log = new MessageLog()
  for (const http of [1, 2, 1]) log.add(progress(http === 2 ? 1 : 2, http))

  t.strictSame(
    groupRepeats(log.messages.get()).map(({ messages, key }) => [messages.length, key]),
    [
      [2, 1],
      [1, 2],
    ],
  )
})

t.test('whoever listens hears of many changes once in a frame', async t => {
  const store = new FrameStore(0)
  let heard = 0
  const wait = () => new Promise(resolve => setTimeout(resolve, 5))
  store.subscribe(() => heard++)
  for (let value = 1; value <= 1_000; value++) store.set(value)
  t.equal(store.get(), 1_000, 'the value is there at once')
  await wait()
  t.equal(heard, 1)
  store.set(1)
  await wait()
  t.equal(heard, 2)
})

t.test('a message finds its call: by stream, request, progress token and question', async t => {
  const links = new CallLinks()
  links.find('sent', { id: 7, method: 'tools/call', params: { _meta: { progressToken: 7 } } }, 1)
  t.equal(links.find('received', { id: 7, result: { inputRequests: { name: {} } } }, undefined), 1)
  t.equal(links.find('received', { method: 'notifications/progress', params: { progressToken: 7 } }, undefined), 1)
  t.equal(links.find('sent', { method: 'notifications/cancelled', params: { requestId: 7 } }, undefined), 1)
  t.equal(links.findAsking('name'), 1)
  links.find('received', { id: 3, method: 'elicitation/create' }, 1)
  t.equal(links.find('sent', { id: 3, result: {} }, undefined), 1, 'an answer to the server')
  t.equal(links.find('received', { method: 'notifications/message' }, undefined), undefined)
})

t.test('links of old calls are forgotten', async t => {
  const links = new CallLinks()
  for (let id = 0; id <= 2000; id++) links.find('sent', { id, method: 'tools/call' }, id + 1)

  t.equal(links.find('received', { id: 0, result: {} }, undefined), undefined)
  t.equal(links.find('received', { id: 2000, result: {} }, undefined), 2001)
})

t.test('progress, log entries and results go to their call, which keeps the newest', async t => {
  const log = new MessageLog()
  const add = (call: Call, message: object) => {
    const text = JSON.stringify(message)
    return addMessage(call, message, log.add({ ...PLAIN, text }), text)
  }
  let call = add(CALL, { method: 'notifications/progress', params: { progress: 1, total: 2 } })
  t.match(call.progress, { progress: 1, total: 2 })
  for (let index = 0; index <= MAX_LOG_ENTRIES; index++)
    call = add(call, { method: 'notifications/message', params: { level: 'info', data: index } })
  t.equal(call.logs.length, MAX_LOG_ENTRIES)
  t.equal(call.messages.length, MAX_CALL_MESSAGES)
  t.strictSame(add(call, { id: 1, result: { resultType: 'task', taskId: 'x' } }).received, {
    resultType: 'task',
    taskId: 'x',
  })
})

t.test('a body may be one message, a batch, or none', async t => {
  t.equal(parseMessages('{"id":1}').length, 1)
  t.equal(parseMessages('[{"id":1},{"id":2},3]').length, 2)
  t.equal(parseMessages('<html>').length, 0)
})

t.test('JSON is laid out as it was written', async t => {
  const rows = '[{"sku":"NW-1042","units":14},{"sku":"CH-2201","units":12345678901234567890}]'

  t.equal(
    reformatJson(`{"rows":${rows},"none":[],"x":1.50e+10,"t":"a\\"{,}"}`),
    `{
  "rows": [
    { "sku": "NW-1042", "units": 14 },
    { "sku": "CH-2201", "units": 12345678901234567890 }
  ],
  "none": [],
  "x": 1.50e+10,
  "t": "a\\"{,}"
}`,
  )
  t.equal(reformatJson(' { "a" : [ 1 , 2 ] } '), '{ "a": [1, 2] }')
  t.strictSame(['"x"', '<html>', '[1,', ''].map(reformatJson), ['"x"', '<html>', '[1,', ''])
  const deep = `${'['.repeat(200)}1${']'.repeat(200)}`
  t.equal(reformatJson(deep).replace(/\s/g, ''), deep)
})

t.test('a change of a list by names', async t => {
  const names = (...all: string[]) => all.map(name => ({ name }))
  const none = { added: [], removed: [], changed: [] }
  t.strictSame(findChange(names('a'), names('a', 'b')), { ...none, added: ['b'] })
  t.strictSame(findChange(names('a', 'b'), [{ name: 'b', title: 'B' } as never]), {
    ...none,
    removed: ['a'],
    changed: ['b'],
  })
  t.equal(findChange(names('a'), names('a')), undefined)
})

t.test('reconnecting waits longer each time, and ends', async t => {
  const waits = Array.from({ length: MAX_TRIES }, (_, attempt) => backoffMs(attempt))
  t.ok(waits.every((wait, index) => index === 0 || wait >= waits[index - 1]!))
  t.ok(waits.every(wait => wait <= 15_000))
})

t.test('questions wait in line; those above the bound are refused, those withdrawn are gone', async t => {
  const queue = new QuestionQueue()
  const { signal } = new AbortController()
  const first = queue.ask('elicitation/create', {}, signal, 1)
  queue.open.get()[0]!.answer({ action: 'accept' })
  t.strictSame(await first, { action: 'accept' })
  t.equal(queue.open.get().length, 0)

  const controller = new AbortController()
  const asked = Array.from({ length: 50 }, () => queue.ask('elicitation/create', {}, controller.signal))
  await t.rejects(queue.ask('elicitation/create', {}, signal), { message: 'Too many questions are open' })
  controller.abort()
  const outcomes = await Promise.allSettled(asked)
  t.ok(outcomes.every(({ status }) => status === 'rejected'))
  t.equal(queue.open.get().length, 0)
  await t.rejects(queue.ask('elicitation/create', {}, controller.signal), { message: 'The question was withdrawn' })
})
