// The steps of a task, by themselves: which are allowed in which status, and what each of them does.
import t from 'tap'
import { sizeOf } from '../src/json-size.ts'
import { hasEnded, isNews, type Task, type TaskStatus, type TaskStep } from '../src/task.ts'
import { answer, ask, begin, cancel, complete, fail, handOut, ofRun, release, say, start } from '../src/task-steps.ts'
import { aTask, refusal, resultOf } from './state/a-task.ts'

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
  input_required: after(aTask({ isHandedOut: false }), ask({ who: question() }, {})),
  completed: after(aTask({ isHandedOut: false }), complete(DONE)),
  failed: after(aTask({ isHandedOut: false }), fail(refusal, 'no')),
  cancelled: after(aTask({ isHandedOut: false }), cancel(DONE, 'enough')),
}

const STEPS: Record<string, TaskStep> = {
  start,
  begin,
  release,
  say: say('half of it'),
  ask: ask({ again: question() }, {}),
  answer: answer({ who: given() }),
  complete: complete(DONE),
  fail: fail(refusal, 'no'),
  cancel: cancel(DONE, 'enough'),
  'hand out': handOut,
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
    const asked = after(aTask(), ask({ a: question() }, {}), answer({ a: given() }), ask({ b: question() }, {}))
    const end = { completed: complete(DONE), failed: fail(refusal, 'no'), cancelled: cancel(DONE, 'enough') }[status]
    const task = after(asked, end)

    t.match(task, { status, outcome: status === 'failed' ? refusal : DONE })
    t.equal(task.job, undefined)
    t.strictSame({ ...task.questions }, {})
    t.strictSame({ ...task.answers }, {})
    t.equal(task.size, sizeOf(task.outcome!))
    for (const step of Object.values(STEPS)) t.equal(step(task), undefined)
  })
}

t.test('task: each run of its handler counts, and is over when it is broken off or has ended', async t => {
  const first = after(aTask(), start)
  t.match(first, { run: 1, isRunning: true, status: 'working' })
  t.match(after(first, release), { run: 1, isRunning: false })
  t.equal(release(after(first, release)), undefined, 'once')
  t.match(after(first, release, start), { run: 2, isRunning: true })

  for (const end of [complete(DONE), fail(refusal, 'no'), cancel(DONE, 'enough')]) {
    t.match(after(first, end), { run: 1, isRunning: false })
    t.equal(release(after(first, end)), undefined)
  }
})

t.test('task: the first turn of its handler is over once', async t => {
  const begun = after(aTask(), begin)

  t.equal(begun.hasBegun, true)
  t.equal(begin(begun), undefined)
  t.equal(after(begun, ask({ who: question() }, {}), answer({ who: given() })).hasBegun, true)
})

t.test('task: what an earlier run still says does not count', async t => {
  const task = after(aTask(), start, release, start)

  t.equal(ofRun(1, say('late'))(task), undefined)
  t.equal(ofRun(3, say('early'))(task), undefined)
  t.equal(ofRun(2, say('now'))(task)?.statusMessage, 'now')
  t.equal(ofRun(2, start)(after(task, complete(DONE))), undefined, 'nor what is not allowed')
})

t.test('task: what is cancelled is kept for a minute more, and never for longer than before', async t => {
  const nowMs = Date.now()
  t.intercept(Date, 'now', { value: () => nowMs })
  const kept = (ageMs: number, ttlMs: number) =>
    after(aTask({ createdAtMs: nowMs - ageMs, ttlMs }), cancel(DONE, 'enough')).ttlMs - ageMs

  t.equal(kept(5000, 3_600_000), 60_000)
  t.equal(kept(5000, 30_000), 25_000)
})

t.test('task: what can be seen of it, and whether its handler has begun, is news', async t => {
  const task = aTask({ isHandedOut: false, updatedAtMs: 1 })
  const started = after(task, start)
  const news = [handOut, begin, say('half'), ask({ who: question() }, {}), complete(DONE), cancel(DONE, 'enough')]

  for (const step of news) t.equal(isNews(task, after(task, step)), true)
  t.equal(isNews(task, started), false)
  t.equal(isNews(started, after(started, release)), false)
})

t.test('task: its message is that of its status', async t => {
  const said = after(aTask(), say('half of it'))

  t.equal(said.statusMessage, 'half of it')
  t.equal(after(said, say('all of it')).statusMessage, 'all of it')
  t.equal(after(said, ask({ who: question() }, {})).statusMessage, undefined)
  t.equal(after(said, complete(DONE)).statusMessage, undefined)
  t.equal(after(said, complete(DONE, 'it failed')).statusMessage, 'it failed')
  t.equal(after(said, fail(refusal, 'no')).statusMessage, 'no')
  t.equal(after(said, cancel(DONE, 'enough')).statusMessage, 'enough')
})

t.test('task: what was said already is not said again', async t => {
  t.equal(say('half of it')(after(aTask(), say('half of it'))), undefined)
})

t.test('task: it is handed out once, which is no change that its client could see', async t => {
  const task = aTask({ isHandedOut: false, updatedAtMs: 1 })

  const handed = after(task, handOut)

  t.match(handed, { isHandedOut: true, status: 'working', updatedAtMs: 1 })
  t.equal(handOut(handed), undefined)
})

t.test('task: every other step tells when it was taken', async t => {
  const startMs = Date.now()
  const old = { updatedAtMs: 1, isHandedOut: true }
  const taken: Task[] = [
    after(aTask(old), say('half of it')),
    after(aTask(old), ask({ who: question() }, {})),
    after({ ...IN.input_required, ...old }, answer({ who: given() })),
    after(aTask(old), complete(DONE)),
    after(aTask(old), fail(refusal, 'no')),
    after(aTask(old), cancel(DONE, 'enough')),
  ]

  t.ok(taken.every(({ updatedAtMs }) => updatedAtMs >= startMs && updatedAtMs <= Date.now()))
})

t.test('task: what it is stays what it is', async t => {
  const task = aTask({ session: 'mine', scopes: ['a'] })

  const ended = after(task, say('half'), ask({ who: question() }, {}), answer({ who: given() }), complete(DONE))

  const { id, owner, clientKey, session, tool, scopes, createdAtMs, ttlMs } = task
  t.match(ended, { id, owner, clientKey, session, tool, scopes, createdAtMs, ttlMs, isHandedOut: true, version: 4 })
})
