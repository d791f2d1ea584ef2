import t from 'tap'
import { aTask } from '../../../packages/state/src/suites/a-task.ts'
import type { Task } from '../../../src/state/task.ts'
import { TaskWatchers } from '../../../src/tasks/listeners.ts'

/** Who hears, and what came. */
function listener() {
  const heard: (string | undefined)[] = []
  return { heard, hear: (task: Task | undefined) => void heard.push(task?.id) }
}

t.test('watchers: each of those that watch a task hears of it, and nobody of another', async t => {
  const watchers = new TaskWatchers()
  const [first, second, other] = [listener(), listener(), listener()]
  watchers.watch('a', first.hear)
  watchers.watch('a', second.hear)
  watchers.watch('b', other.hear)

  watchers.notify('a', aTask({ id: 'a' }))
  watchers.notify('a', undefined)
  watchers.notify('nobody watches', aTask())

  t.strictSame(first.heard, ['a', undefined])
  t.strictSame(second.heard, ['a', undefined])
  t.strictSame(other.heard, [])
})

t.test('watchers: who has stopped hears no more, and the others do', async t => {
  const watchers = new TaskWatchers()
  const [gone, left] = [listener(), listener()]
  const stop = watchers.watch('a', gone.hear)
  watchers.watch('a', left.hear)

  stop()
  watchers.notify('a', aTask({ id: 'a' }))

  t.strictSame(gone.heard, [])
  t.strictSame(left.heard, ['a'])
})

t.test('watchers: a task is watched until the last of them has stopped', async t => {
  const watchers = new TaskWatchers()
  const stops = [1, 2].map(() => watchers.watch('a', listener().hear))
  watchers.watch('b', listener().hear)
  t.strictSame(watchers.ids(), ['a', 'b'])
  t.equal(watchers.has('c'), false)

  stops[0]!()
  stops[0]!()
  t.equal(watchers.has('a'), true)
  stops[1]!()

  t.equal(watchers.has('a'), false)
  t.strictSame(watchers.ids(), ['b'])
})

t.test('watchers: who stops twice takes nothing from those that came since', async t => {
  const watchers = new TaskWatchers()
  const stop = watchers.watch('a', listener().hear)
  stop()
  const next = listener()
  watchers.watch('a', next.hear)

  stop()
  watchers.notify('a', aTask({ id: 'a' }))

  t.equal(watchers.has('a'), true)
  t.strictSame(next.heard, ['a'])
})

t.test('watchers: who stops while it is told keeps nobody else from hearing', async t => {
  const watchers = new TaskWatchers()
  const heard: string[] = []
  const stops = ['first', 'second', 'third'].map(who =>
    watchers.watch('a', () => {
      heard.push(who)
      stops[1]!()
    }),
  )

  watchers.notify('a', undefined)

  t.strictSame(heard, ['first', 'third'])
})

t.test('watchers: a task may be called whatever it is', async t => {
  const watchers = new TaskWatchers()
  for (const id of ['__proto__', 'constructor', '']) {
    const { heard, hear } = listener()
    t.equal(watchers.has(id), false)
    watchers.watch(id, hear)

    watchers.notify(id, aTask({ id }))

    t.strictSame(heard, [id])
  }
})
