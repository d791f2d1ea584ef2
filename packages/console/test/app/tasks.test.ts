import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Call } from '../../app/src/calls/call.ts'
import type { JsonObject } from '../../app/src/client/json-rpc.ts'
import { QuestionQueue } from '../../app/src/questions/question-queue.ts'
import { TaskList } from '../../app/src/tasks/task-list.ts'
import { readLog, readProgress } from '../../app/src/tasks/task-progress.ts'

const CALL: Call = {
  id: 1,
  tool: 'wait',
  args: { n: 14, name: 'july.txt' },
  startedAt: 0,
  status: 'task',
  logs: [],
  logCount: 0,
  messages: [],
  messageCount: 0,
}

type Answer = PromiseWithResolvers<JsonObject>

/** A task in a revision with sessions; the test answers the requests about it. */
function follow(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const answers: Record<string, Answer> = {}
  const request = ({ method }: { method: string }) => (answers[method] = Promise.withResolvers<JsonObject>()).promise
  const list = new TaskList({ state: { get: () => ({ era: 'legacy' }) }, questions: new QuestionQueue(), request })
  list.follow({ taskId: 'x', status: 'working' }, CALL)
  return { list, answers, find: () => list.tasks.get()[0]! }
}

const WORKING = { taskId: 'x', status: 'working' }
const CANCELLED = { ...WORKING, status: 'cancelled' }

for (const first of ['tasks/result', 'tasks/cancel']) {
  t.test(`a cancelled task shows no problem, also if ${first} is answered first`, async t => {
    const { list, answers, find } = follow(t)
    const cancelled = list.cancel(find())
    const settle = [
      () => answers['tasks/result']!.reject(new Error('The task was cancelled')),
      () => answers['tasks/cancel']!.resolve(CANCELLED),
    ]
    if (first === 'tasks/cancel') settle.reverse()
    for (const each of settle) {
      each()
      await turn()
    }
    await cancelled

    t.match(find(), { status: 'cancelled', problem: undefined })
  })
}

t.test('a task whose result failed is looked at until its state says how it ended', async t => {
  const { answers, find } = follow(t)
  answers['tasks/result']!.reject(new Error('It broke'))
  await turn()
  t.match(find(), { status: 'working', problem: { detail: 'It broke' } })

  mock.timers.tick(1000)
  await turn()
  answers['tasks/get']!.resolve({ ...WORKING, status: 'failed' })
  await turn()

  t.match(find(), { status: 'failed', problem: { detail: 'It broke' } })
})

t.test('the state of a task says in `_meta` how far it is', async t => {
  const progress = { progress: 6, total: 14, message: 'Counting 6' }
  t.strictSame(readProgress({ _meta: { 'toolrack/progress': progress } }), progress)
  const none = [{}, { _meta: {} }, { _meta: { 'toolrack/progress': 6 } }, { statusMessage: 'Counting 6 (6 of 14)' }]
  for (const state of none) t.equal(readProgress(state), undefined, JSON.stringify(state))
})

t.test('the log of a task grows by what is new in its states', async t => {
  const entry = (data: string) => ({ level: 'info', logger: 'a', data })
  const state = (before: number, ...texts: string[]) => ({
    _meta: { 'toolrack/log': { entries: texts.map(entry), before } },
  })

  const first = readLog({ logs: [], logCount: 0 }, state(0, 'a', 'b'), 1)!
  t.strictSame([first.logs.map(({ data }) => data), first.logCount], [['a', 'b'], 2])
  const second = readLog(first, state(1, 'b', 'c'), 2)!
  t.strictSame(second.logs, [...first.logs, { at: 2, level: 'info', data: 'c' }])
  t.strictSame(readLog(second, state(9, 'k'), 3)!.logCount, 10, 'what was left out between is counted')
  for (const same of [state(1, 'b', 'c'), {}, { _meta: { 'toolrack/log': 5 } }])
    t.equal(readLog(second, same, 3), undefined)
})

t.test('a task keeps how far it was when it is cancelled', async t => {
  const { answers, find } = follow(t)
  const poll = async (answer: JsonObject) => {
    mock.timers.tick(1000)
    await turn()
    answers['tasks/get']!.resolve(answer)
    await turn()
  }
  const reached = { progress: 12, total: 100, message: 'Counting 12' }
  await poll({ ...WORKING, statusMessage: 'Counting 12 (12 of 100)', _meta: { 'toolrack/progress': reached } })
  t.match(find(), { progress: reached, endedAt: undefined })
  await poll({ ...CANCELLED, statusMessage: 'The task was cancelled' })

  t.match(find(), { status: 'cancelled', progress: { progress: 12 }, endedAt: Number })
})
