// Steps: each is taken alone, and listeners learn of each.
import {
  toAnswered,
  toCancelled,
  toCompleted,
  toHandedOut,
  toInputRequired,
  toStarted,
  withStatusMessage,
} from 'toolrack/execution'
import type { Task, TaskStep, TaskStore } from 'toolrack/state'
import { aTask, counted, resultOf } from './a-task.ts'
import type { Suite } from './check.ts'
import { listenTo, type MakeTasks } from './tasks.ts'
import { eventually, plain } from './wait.ts'

const REFUSED: TaskStep = () => undefined

async function created(store: TaskStore, over?: Partial<Task>): Promise<string> {
  const task = aTask(over)
  await store.create(task)
  return task.id
}

export function changesSuite(t: Suite, name: string, make: MakeTasks): void {
  t.test(`${name}: a step gets the current task, and its result is found`, async t => {
    const store = await make(t)
    const id = await created(store)

    await store.change(id, withStatusMessage('half of it'))
    const asked = await store.change(id, toInputRequired({ who: { method: 'roots/list', params: {} } }, {}))
    t.match(asked, { status: 'input_required', version: 2, issued: ['who'] })
    const answered = await store.change(id, toAnswered({ who: { answer: { roots: [] } } }))

    t.match(answered, { status: 'working', version: 3, rounds: 1, answers: { who: { answer: { roots: [] } } } })
    t.strictSame(plain(await store.find(id)), plain(answered))
  })

  t.test(`${name}: a step that is not allowed changes nothing`, async t => {
    const store = await make(t)
    const id = await created(store)
    const before = plain(await store.find(id))

    t.equal(await store.change(id, REFUSED), undefined)

    t.strictSame(plain(await store.find(id)), before)
  })

  t.test(`${name}: of a thousand steps at once each is taken, alone`, async t => {
    const store = await make(t)
    const [id, other] = [await created(store), await created(store)]

    const taken = await Promise.all(Array.from({ length: 1000 }, () => store.change(id, counted)))

    t.equal(new Set(taken.map(task => task?.version)).size, 1000, 'each was taken after another')
    t.match(await store.find(id), { rounds: 1000, version: 1000 })
    t.match(await store.find(other), { rounds: 0, version: 0 })
  })

  t.test(`${name}: of an end and a cancellation at once one counts, and it stays`, async t => {
    const store = await make(t)
    const end = toCompleted(resultOf('done'))
    const abort = toCancelled(resultOf('cancelled'), 'enough')

    for (let turn = 0; turn < 20; turn++) {
      const id = await created(store)
      const steps = turn % 2 === 0 ? [end, abort, end, abort] : [abort, end, abort, end]

      const taken = await Promise.all(steps.map(step => store.change(id, step)))

      const [winner, ...losers] = taken.filter(task => task !== undefined)
      t.equal(losers.length, 0)
      t.strictSame(plain(await store.find(id)), plain(winner))
    }
  })

  t.test(`${name}: of the same answer twice at once one counts`, async t => {
    const store = await make(t)
    const id = await created(store)
    await store.change(id, toInputRequired({ who: { method: 'roots/list', params: {} } }, {}))

    const answers = ['Ada', 'Bob'].map(name => store.change(id, toAnswered({ who: { answer: name } })))
    const taken = (await Promise.all(answers)).filter(task => task !== undefined)

    t.equal(taken.length, 1)
    t.strictSame(plain((await store.find(id))?.answers), plain(taken[0]!.answers))
  })

  t.test(`${name}: every visible change is reported, in order, with the task after it`, async t => {
    const store = await make(t)
    const { heard, of, until } = listenTo(store)
    const id = await created(store, { isHandedOut: false })
    const taken = [
      await store.change(id, toHandedOut),
      await store.change(id, withStatusMessage('half of it')),
      await store.change(id, toCompleted(resultOf('done'))),
    ]

    await store.remove(id)
    await until(id, 'gone')

    t.strictSame(of(id), [1, 2, 3, 'gone'])
    t.strictSame(
      heard.map(({ task }) => plain(task)),
      [...taken.map(plain), undefined],
    )
  })

  t.test(`${name}: of simultaneous changes, the last one reported is the final task`, async t => {
    const store = await make(t)
    const { of, until } = listenTo(store)
    const id = await created(store)

    await Promise.all(Array.from({ length: 50 }, () => store.change(id, counted)))
    await until(id, 50)

    // One may be missing if the news itself was late, but an older one never follows a newer one.
    const told = of(id) as number[]
    t.equal(told.at(-1), 50)
    t.strictSame(
      told,
      [...new Set(told)].sort((a, b) => a - b),
    )
  })

  t.test(`${name}: who wants to hear of some hears of those, by their id or their session`, async t => {
    const store = await make(t)
    const heard: string[] = []
    const ids = [await created(store), await created(store, { session: 'mine' }), await created(store)]
    store.onChange(
      id => heard.push(id),
      (id, session) => id === ids[0] || session === 'mine',
    )

    for (const id of ids) await store.change(id, counted)

    await eventually(() => ids.slice(0, 2).every(id => heard.includes(id)), `both are reported; so far ${heard}`)
    t.strictSame(
      heard.filter(id => id !== ids[2]),
      ids.slice(0, 2),
    )
  })

  t.test(`${name}: a step without a visible change is not reported`, async t => {
    const store = await make(t)
    const { heard, until } = listenTo(store)
    const [id, last] = [await created(store), await created(store)]

    await store.change(id, REFUSED)
    await store.change(id, toStarted)
    await store.change('unknown', counted)
    await store.find(id)
    await store.list('owner', 10)
    await store.remove('unknown')
    await store.change(last, counted)
    await until(last, 1)

    t.strictSame(
      heard.map(({ id }) => id),
      [last],
    )
  })
}
