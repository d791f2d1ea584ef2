// The steps of a task, by themselves: which are allowed in which status, and what each of them does.
import t from 'tap'
import { aTask, refusal, resultOf } from '../../../packages/state/src/suites/a-task.ts'
import { countJsonBytes } from '../../../src/protocol/json-size.ts'
import { hasEnded, isVisibleChange, type Task, type TaskStatus, type TaskStep } from '../../../src/state/task.ts'
import {
  ifCurrentRun,
  toAnswered,
  toBegun,
  toCancelled,
  toCompleted,
  toFailed,
  toHandedOut,
  toInputRequired,
  toReleased,
  toStarted,
  withStatusMessage,
} from '../../../src/tasks/transitions.ts'

const question = (message = 'Who?') => ({ method: 'elicitation/create', params: { message } })
const given = (value: unknown = 'Ada') => ({ answer: value })
const DONE = resultOf('done')

/** A task behind steps that are all allowed. */
function after(task: Task, ...steps: TaskStep[]): Task {
  let now = task
  for (const step of steps) {
    const next = step(now)
    if (next === undefined) throw new Error(`a step was not allowed while the task was ${now.status}`)
    now = next
  }
  return now
}

const IN: Record<TaskStatus, Task> = {
  working: aTask({ isHandedOut: false }),
  input_required: after(aTask({ isHandedOut: false }), toInputRequired({ who: question() }, {})),
  completed: after(aTask({ isHandedOut: false }), toCompleted(DONE)),
  failed: after(aTask({ isHandedOut: false }), toFailed(refusal, 'no')),
  cancelled: after(aTask({ isHandedOut: false }), toCancelled(DONE, 'enough')),
}

const STEPS: Record<string, TaskStep> = {
  start: toStarted,
  begin: toBegun,
  release: toReleased,
  say: withStatusMessage('half of it'),
  ask: toInputRequired({ again: question() }, {}),
  answer: toAnswered({ who: given() }),
  complete: toCompleted(DONE),
  fail: toFailed(refusal, 'no'),
  cancel: toCancelled(DONE, 'enough'),
  'hand out': toHandedOut,
}

/** By status, where each step leads; what is not named is not allowed. */
const ALLOWED: Record<TaskStatus, Record<string, TaskStatus>> = {
  working: {
    start: 'working',
    begin: 'working',
    say: 'working',
    ask: 'input_required',
    complete: 'completed',
    fail: 'failed',
    cancel: 'cancelled',
    'hand out': 'working',
  },
  input_required: { answer: 'working', complete: 'completed', fail: 'failed', cancel: 'cancelled' },
  completed: { 'hand out': 'completed' },
  failed: { 'hand out': 'failed' },
  cancelled: { 'hand out': 'cancelled' },
}

for (const status of Object.keys(IN) as TaskStatus[]) {
  for (const [name, step] of Object.entries(STEPS)) {
    const expected = ALLOWED[status][name]
    t.test(`task: ${status}, ${name} → ${expected ?? 'not allowed'}`, async t => {
      const before = structuredClone(IN[status])

      const now = step(IN[status])

      t.equal(now?.status, expected)
      if (now !== undefined) t.equal(now.version, before.version + 1, 'each step counts')
      t.strictSame(structuredClone(IN[status]), before, 'what was is not touched')
    })
  }
}

t.test('task: one that has ended says so, and no other', async t => {
  const ended = Object.values(IN).filter(hasEnded)

  t.strictSame(
    ended.map(({ status }) => status),
    ['completed', 'failed', 'cancelled'],
  )
})

for (const status of ['completed', 'failed', 'cancelled'] as const) {
  t.test(`task: what is ${status} keeps its end, and nothing of what was needed to get there`, async t => {
    const asked = after(
      aTask(),
      toInputRequired({ a: question() }, {}),
      toAnswered({ a: given() }),
      toInputRequired({ b: question() }, {}),
    )
    const end = {
      completed: toCompleted(DONE),
      failed: toFailed(refusal, 'no'),
      cancelled: toCancelled(DONE, 'enough'),
    }[status]
    const task = after(asked, end)

    t.match(task, { status, outcome: status === 'failed' ? refusal : DONE })
    t.equal(task.job, undefined)
    t.strictSame({ ...task.questions }, {})
    t.strictSame({ ...task.answers }, {})
    t.equal(task.size, countJsonBytes(task.outcome!))
    for (const step of Object.values(STEPS)) t.equal(step(task), undefined)
  })
}

t.test('task: each run of its handler counts, and is over when it is broken off or has ended', async t => {
  const first = after(aTask(), toStarted)
  t.match(first, { run: 1, isRunning: true, status: 'working' })
  t.match(after(first, toReleased), { run: 1, isRunning: false })
  t.equal(toReleased(after(first, toReleased)), undefined, 'once')
  t.match(after(first, toReleased, toStarted), { run: 2, isRunning: true })

  for (const end of [toCompleted(DONE), toFailed(refusal, 'no'), toCancelled(DONE, 'enough')]) {
    t.match(after(first, end), { run: 1, isRunning: false })
    t.equal(toReleased(after(first, end)), undefined)
  }
})

t.test('task: the first turn of its handler is over once', async t => {
  const begun = after(aTask(), toBegun)

  t.equal(begun.hasBegun, true)
  t.equal(toBegun(begun), undefined)
  t.equal(after(begun, toInputRequired({ who: question() }, {}), toAnswered({ who: given() })).hasBegun, true)
})

t.test('task: what an earlier run still says does not count', async t => {
  const task = after(aTask(), toStarted, toReleased, toStarted)

  t.equal(ifCurrentRun(1, withStatusMessage('late'))(task), undefined)
  t.equal(ifCurrentRun(3, withStatusMessage('early'))(task), undefined)
  t.equal(ifCurrentRun(2, withStatusMessage('now'))(task)?.statusMessage, 'now')
  t.equal(ifCurrentRun(2, toStarted)(after(task, toCompleted(DONE))), undefined, 'nor what is not allowed')
})

t.test('task: what is cancelled is kept for a minute more, and never for longer than before', async t => {
  const nowMs = Date.now()
  t.intercept(Date, 'now', { value: () => nowMs })
  const kept = (ageMs: number, ttlMs: number) =>
    after(aTask({ createdAtMs: nowMs - ageMs, ttlMs }), toCancelled(DONE, 'enough')).ttlMs - ageMs

  t.equal(kept(5000, 3_600_000), 60_000)
  t.equal(kept(5000, 30_000), 25_000)
})

t.test('task: what can be seen of it, and whether its handler has begun, is news', async t => {
  const task = aTask({ isHandedOut: false, updatedAtMs: 1 })
  const started = after(task, toStarted)
  const news = [
    toHandedOut,
    toBegun,
    withStatusMessage('half'),
    toInputRequired({ who: question() }, {}),
    toCompleted(DONE),
    toCancelled(DONE, 'enough'),
  ]

  for (const step of news) t.equal(isVisibleChange(task, after(task, step)), true)
  t.equal(isVisibleChange(task, started), false)
  t.equal(isVisibleChange(started, after(started, toReleased)), false)
})

t.test('task: its message is that of its status', async t => {
  const said = after(aTask(), withStatusMessage('half of it'))

  t.equal(said.statusMessage, 'half of it')
  t.equal(after(said, withStatusMessage('all of it')).statusMessage, 'all of it')
  t.equal(after(said, toInputRequired({ who: question() }, {})).statusMessage, undefined)
  t.equal(after(said, toCompleted(DONE)).statusMessage, undefined)
  t.equal(after(said, toCompleted(DONE, 'it failed')).statusMessage, 'it failed')
  t.equal(after(said, toFailed(refusal, 'no')).statusMessage, 'no')
  t.equal(after(said, toCancelled(DONE, 'enough')).statusMessage, 'enough')
})

t.test('task: what was said already is not said again', async t => {
  t.equal(withStatusMessage('half of it')(after(aTask(), withStatusMessage('half of it'))), undefined)
})

t.test('task: it is handed out once, which is no change that its client could see', async t => {
  const task = aTask({ isHandedOut: false, updatedAtMs: 1 })

  const handed = after(task, toHandedOut)

  t.match(handed, { isHandedOut: true, status: 'working', updatedAtMs: 1 })
  t.equal(toHandedOut(handed), undefined)
})

t.test('task: every other step tells when it was taken', async t => {
  const startMs = Date.now()
  const old = { updatedAtMs: 1, isHandedOut: true }
  const taken: Task[] = [
    after(aTask(old), withStatusMessage('half of it')),
    after(aTask(old), toInputRequired({ who: question() }, {})),
    after({ ...IN.input_required, ...old }, toAnswered({ who: given() })),
    after(aTask(old), toCompleted(DONE)),
    after(aTask(old), toFailed(refusal, 'no')),
    after(aTask(old), toCancelled(DONE, 'enough')),
  ]

  t.ok(taken.every(({ updatedAtMs }) => updatedAtMs >= startMs && updatedAtMs <= Date.now()))
})

t.test('task: what it is stays what it is', async t => {
  const task = aTask({ session: 'mine', scopes: ['a'] })

  const ended = after(
    task,
    withStatusMessage('half'),
    toInputRequired({ who: question() }, {}),
    toAnswered({ who: given() }),
    toCompleted(DONE),
  )

  const { id, owner, clientKey, session, tool, scopes, createdAtMs, ttlMs } = task
  t.match(ended, { id, owner, clientKey, session, tool, scopes, createdAtMs, ttlMs, isHandedOut: true, version: 4 })
})
