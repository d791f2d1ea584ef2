// What a task keeps of its tool's progress, for the session that asked to be told of it.
import t from 'tap'
import { aTask, refusal, resultOf } from '../../../packages/state/src/suites/a-task.ts'
import type { Task, TaskStep } from '../../../src/state/task.ts'
import {
  toAnswered,
  toCancelled,
  toCompleted,
  toFailed,
  toInputRequired,
  withStatusMessage,
} from '../../../src/tasks/transitions.ts'

const at = (progress: number) => ({ progress, total: undefined, message: undefined })
const question = { method: 'elicitation/create', params: { message: 'Who?' } }

/** Behind steps that are all allowed. */
const after = (task: Task, ...steps: TaskStep[]): Task => steps.reduce((now, step) => step(now)!, task)

t.test('task: its progress says in which version of the task it was said', async t => {
  const said = after(aTask({ version: 4 }), withStatusMessage('1 of 3', { progress: 1, total: 3, message: 'sorting' }))

  t.strictSame(said.progress, { progress: 1, total: 3, message: 'sorting', version: said.version })
})

t.test('task: a status without progress leaves it as it was, and so in an older version', async t => {
  const said = after(aTask(), withStatusMessage('1', at(1)))

  const later = after(said, withStatusMessage('resting'))

  t.strictSame(later.progress, said.progress)
  t.not(later.progress?.version, later.version)
})

t.test('task: progress is what is further than before, in whichever run it is said', async t => {
  const first = after(
    aTask(),
    withStatusMessage('5', at(5)),
    toInputRequired({ who: question }, {}),
    toAnswered({ who: { answer: 'Ada' } }),
  )

  const again = after(first, withStatusMessage('1', at(1)), withStatusMessage('5 of 9', at(5)))

  t.equal(again.statusMessage, '5 of 9')
  t.strictSame(again.progress, first.progress)
  t.match(after(again, withStatusMessage('6', at(6))).progress, at(6))
})

t.test('task: one that has ended has no progress', async t => {
  const said = after(aTask(), withStatusMessage('1', at(1)))

  for (const end of [toCompleted(resultOf('done')), toFailed(refusal, 'no'), toCancelled(resultOf('done'), 'enough')])
    t.equal(after(said, end).progress, undefined)
})
