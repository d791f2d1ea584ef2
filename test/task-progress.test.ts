// What a task keeps of its tool's progress, for the session that asked to be told of it.
import t from 'tap'
import type { Task, TaskStep } from '../src/task.ts'
import { answer, ask, cancel, complete, fail, say } from '../src/task-steps.ts'
import { aTask, refusal, resultOf } from './state/a-task.ts'

const at = (progress: number) => ({ progress, total: undefined, message: undefined })
const question = { method: 'elicitation/create', params: { message: 'Who?' } }

/** Behind steps that are all allowed. */
const after = (task: Task, ...steps: TaskStep[]): Task => steps.reduce((now, step) => step(now)!, task)

t.test('task: its progress says in which version of the task it was said', async t => {
  const said = after(aTask({ version: 4 }), say('1 of 3', { progress: 1, total: 3, message: 'sorting' }))

  t.strictSame(said.progress, { progress: 1, total: 3, message: 'sorting', version: said.version })
})

t.test('task: a status without progress leaves it as it was, and so in an older version', async t => {
  const said = after(aTask(), say('1', at(1)))

  const later = after(said, say('resting'))

  t.strictSame(later.progress, said.progress)
  t.not(later.progress?.version, later.version)
})

t.test('task: progress is what is further than before, in whichever run it is said', async t => {
  const first = after(aTask(), say('5', at(5)), ask({ who: question }, {}), answer({ who: { answer: 'Ada' } }))

  const again = after(first, say('1', at(1)), say('5 of 9', at(5)))

  t.equal(again.statusMessage, '5 of 9')
  t.strictSame(again.progress, first.progress)
  t.match(after(again, say('6', at(6))).progress, at(6))
})

t.test('task: one that has ended has no progress', async t => {
  const said = after(aTask(), say('1', at(1)))

  for (const end of [complete(resultOf('done')), fail(refusal, 'no'), cancel(resultOf('done'), 'enough')])
    t.equal(after(said, end).progress, undefined)
})
