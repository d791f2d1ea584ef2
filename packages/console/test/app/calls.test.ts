// A call of the console: its progress, its outcome, and what a reload keeps of it.
import t from 'tap'
import { readAnswered } from '../../app/src/calls/answered.ts'
import { readAnswer, readQuestions } from '../../app/src/calls/answers.ts'
import type { Call } from '../../app/src/calls/call.ts'
import { CallStorage, MAX_KEPT } from '../../app/src/calls/call-storage.ts'
import { findOutcome } from '../../app/src/calls/outcome.ts'
import { addStep, estimateSeconds, findShare, type Steps } from '../../app/src/calls/progress.ts'
import { layOutType } from '../../app/src/calls/type-layout.ts'
import { layoutJson, sliceMember, writeLayout } from '../../app/src/parts/json-layout.ts'

const DONE: Call = {
  id: 1,
  tool: 'a',
  args: {},
  startedAt: 0,
  endedAt: 5,
  status: 'done',
  logs: [],
  logCount: 0,
  messages: [],
  messageCount: 0,
}
const NO_QUESTION = [false, undefined] as const

t.test('the rest of the time is said from the third step on', async t => {
  let steps: Steps | undefined
  const left: unknown[] = []
  for (const progress of [1, 2, 3, 6]) {
    steps = addStep(steps, { progress, total: 14, message: `Counting ${progress}` }, progress * 500)
    left.push(estimateSeconds(steps))
  }
  t.strictSame(left, [undefined, undefined, 6, 4])
  t.equal(findShare(steps!), 43)
  t.equal(estimateSeconds(addStep(steps, { progress: 14, total: 14 }, 7_000)), undefined, 'nothing is left')
  t.equal(findShare(addStep(undefined, { progress: 3 }, 0)), undefined)
  t.equal(addStep(steps, { progress: 7 }, 1).message, 'Counting 6', 'a step without words leaves those before')
})

t.test('how a call went', async t => {
  const cases: readonly (readonly [Partial<Call>, string, string])[] = [
    [{ status: 'running' }, 'Running', 'run'],
    [{ result: { content: [] } }, 'OK', 'ok'],
    [{ result: { isError: true } }, 'Tool error', 'danger'],
    [{ status: 'cancelled' }, 'Cancelled by you', 'off'],
    [{ status: 'failed', problem: { title: '', detail: '', code: -32602 } }, 'Refused', 'danger'],
    [{ status: 'failed', problem: { title: '', detail: '', status: 403 } }, 'Refused', 'danger'],
    [{ status: 'failed', problem: { title: '', detail: '', said: 'network error' } }, 'No answer', 'danger'],
    [{ result: { isError: true }, answered: toAnswer('decline') }, 'Declined by you', 'off'],
    [{ result: {}, answered: toAnswer('cancel') }, 'Cancelled by you', 'off'],
    [{ result: {}, answered: toAnswer('accept') }, 'OK', 'ok'],
  ]
  for (const [part, word, dot] of cases)
    t.strictSame(findOutcome({ ...DONE, ...part }, ...NO_QUESTION), { word, dot }, word)
  t.match(findOutcome({ ...DONE, status: 'running' }, true, undefined), {
    word: 'Waits for your answer',
    dot: 'warning',
  })
})

const toAnswer = (action: 'accept' | 'decline' | 'cancel') => ({ question: { message: '', isYesNo: true }, action })

t.test('the answer of the user is read from what the page sends, in both eras', async t => {
  const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
  const asked = readQuestions({ id: 7, method: 'elicitation/create', params })
  t.strictSame(readAnswer({ id: 7, result: { action: 'decline' } }, asked), {
    question: { message: 'Sure?', isYesNo: true },
    action: 'decline',
  })
  const modern = readQuestions({ result: { inputRequests: { sure: { params }, page: { params: { mode: 'url' } } } } })
  t.match(
    readAnswer({ params: { inputResponses: { sure: { action: 'accept' }, page: { action: 'cancel' } } } }, modern),
    {
      action: 'cancel',
      question: { isYesNo: false },
    },
  )
  t.equal(readAnswer({ id: 8, result: { action: 'decline' } }, asked), undefined)
  t.equal(readAnswer({ id: 'constructor', result: { action: 'decline' } }, asked), undefined)
})

class FakeStorage {
  readonly items = new Map<string, string>()
  getItem = (key: string) => this.items.get(key) ?? null
  setItem = (key: string, value: string) => void this.items.set(key, value)
  removeItem = (key: string) => void this.items.delete(key)
}

const toText = (text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })

t.test('calls outlive a reload, without messages and logs', async t => {
  const storage = new FakeStorage()
  const kept = new CallStorage(storage, 'http://a/mcp', '')
  const call: Call = { ...DONE, answerText: toText('hi'), logs: [{ at: 1, level: 'info', data: 'x' }], logCount: 1 }
  kept.save([call, { ...DONE, id: 2, status: 'running' }])

  const [loaded, ...others] = new CallStorage(storage, 'http://a/mcp', '').load().calls
  t.match(loaded, { id: 1, tool: 'a', status: 'done', logs: [], result: { content: [{ text: 'hi' }] } })
  t.equal(others.length, 0, 'a call under way is left out')
  kept.save([DONE], new Map([['add', 1]]))
  t.strictSame(
    [...new CallStorage(storage, 'http://a/mcp', '').load().shown],
    [['add', 1]],
    'the one that was looked at',
  )
  t.equal(new CallStorage(storage, 'http://a/mcp', 'eve').load().shown.size, 0)
  t.strictSame(new CallStorage(storage, 'http://b/mcp', '').load().calls, [], 'another server has its own')
  kept.clear()
  t.strictSame(kept.load().calls, [])
})

t.test('calls belong to who is signed in', async t => {
  const storage = new FakeStorage()
  const kept = new CallStorage(storage, 'x', undefined)
  kept.save([DONE])
  t.equal(storage.items.size, 0, 'nobody is signed in')
  kept.open('ada')
  kept.save([DONE])
  kept.open(undefined)
  kept.open('ada')
  t.equal(kept.load().calls.length, 1)
  kept.open('noah')
  t.strictSame(kept.load().calls, [])
  t.equal(storage.items.size, 0, 'the calls of one are not left for the next')
})

t.test('a large result is not kept, and says so; all together have a bound', async t => {
  const storage = new FakeStorage()
  const kept = new CallStorage(storage, 'x', '')
  const large: Call = { ...DONE, answerText: toText('x'.repeat(MAX_KEPT)), bytes: 7 }
  const calls = Array.from({ length: 10 }, (_, id) => ({ ...DONE, id, answerText: toText('y'.repeat(MAX_KEPT - 100)) }))
  kept.save([...calls, large])

  const loaded = kept.load().calls
  t.match(loaded.at(-1), { isCut: true, bytes: 7, result: undefined })
  t.equal(readAnswered('a', loaded.at(-1), undefined), undefined)
  t.strictSame(
    loaded.map(({ isCut }) => isCut === true),
    [true, true, true, true, true, false, false, false, false, false, true],
    'the oldest are dropped first',
  )
})

t.test('a storage that is full, broken or missing loses calls, and nothing else', async t => {
  const full = new FakeStorage()
  full.setItem = () => {
    throw new Error('QuotaExceededError')
  }
  new CallStorage(full, 'x', '').save([DONE])
  t.strictSame(new CallStorage(full, 'x', '').load().calls, [])
  const broken = new FakeStorage()
  for (const text of ['{', '7', 'null', '[]', '{"owner":""}']) {
    broken.items.set('toolrack:calls:x', text)
    t.strictSame(new CallStorage(broken, 'x', '').load().calls, [])
  }
  t.strictSame(new CallStorage(new FakeStorage(), 'x', undefined).load().calls, [])
})

t.test('JSON keeps on one line what fits into 64 characters, and every number as it was written', async t => {
  const long = '"abcdefghijklmnopqrstuvwxyz"'
  const text = `{"big":12345678901234567890,"e":1.50,"o":{},"l":[],"f":{"min":100},"x":[${long},${long},${long}],"s":"\\\\u202e\\"" }`
  t.equal(
    writeLayout(layoutJson(text)),
    `{
  "big": 12345678901234567890,
  "e": 1.50,
  "o": {},
  "l": [],
  "f": { "min": 100 },
  "x": [
    ${long},
    ${long},
    ${long}
  ],
  "s": "\\\\u202e\\""
}`,
  )
  t.equal(layoutJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).lineCount > 100_000, true)
  t.equal(writeLayout(layoutJson('7')), '7')
})

t.test('a member of the answer is shown as it was written', async t => {
  const text = '{"jsonrpc":"2.0", "result" : {"a":[1.50,{"result":2}]} ,"id":1}'
  t.equal(sliceMember(text, 'result'), '{"a":[1.50,{"result":2}]}')
  t.equal(sliceMember(text, 'id'), '1')
  t.equal(sliceMember('{"a":"result"}', 'result'), undefined)
})

t.test('the type of a result has a line for each member', async t => {
  t.equal(
    layOutType('{ month: string, rows: { sku: "a, { b", units?: integer }[], t: [number, number] }'),
    `{
  month: string
  rows: {
    sku: "a, { b"
    units?: integer
  }[]
  t: [number, number]
}`,
  )
})
