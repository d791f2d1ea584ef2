import t from 'tap'
import { addMessage, type Call, MAX_CALL_MESSAGES, MAX_LOG_ENTRIES } from '../../../console/src/calls/call.ts'
import { backoffMs, MAX_TRIES } from '../../../console/src/client/backoff.ts'
import { CallLinks } from '../../../console/src/client/call-links.ts'
import { parseMessages } from '../../../console/src/client/json-rpc.ts'
import { describeChange } from '../../../console/src/client/list-changes.ts'
import {
  type LoggedMessage,
  MAX_MESSAGE_CHARACTERS,
  MAX_MESSAGES,
  MAX_REPEATS,
  MessageLog,
} from '../../../console/src/client/message-log.ts'
import { FrameStore } from '../../../console/src/client/store.ts'
import { groupRepeats } from '../../../console/src/messages/groups.ts'
import { reformatJson } from '../../../console/src/parts/json-layout.ts'
import { QuestionQueue } from '../../../console/src/questions/question-queue.ts'

const CALL: Call = { id: 1, tool: 'a', args: {}, startedAt: 0, status: 'running', logs: [], messages: [] }

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
    return addMessage(call, message, log.add({ ...PLAIN, text }))
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

t.test('a change of a list in one line', async t => {
  const names = (...all: string[]) => all.map(name => ({ name }))
  t.equal(describeChange('tools', names('a'), names('a', 'b')), 'tools: added b')
  t.equal(describeChange('tools', names('a', 'b'), [{ name: 'b', title: 'B' } as never]), 'tools: removed a; changed b')
  t.equal(describeChange('tools', names('a'), names('a')), undefined)
  t.equal(describeChange('tools', [], names(...'abcdefg')), 'tools: added a, b, c, d, e and 2 more')
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
