// What a task asks and is answered: its keys are used once, whatever handlers and clients call theirs.
import fc from 'fast-check'
import t from 'tap'
import { aTask } from '../../../packages/state/src/suites/a-task.ts'
import { countJsonBytes } from '../../../src/protocol/json-size.ts'
import type { Task, TaskAnswer } from '../../../src/state/task.ts'
import { toAnswered, toAsked, toInputRequired, toUnasked } from '../../../src/tasks/transitions.ts'

const question = (message: string) => ({ method: 'elicitation/create', params: { message } })
const given = (value: unknown): TaskAnswer => ({ answer: value })

// By entries, so that a key may be __proto__.
const record = <T>(keys: readonly string[], of: (key: string) => T): Record<string, T> =>
  Object.fromEntries(keys.map(key => [key, of(key)]))

function asked(task: Task, ...keys: string[]): Task {
  const next = toInputRequired(record(keys, question), {})(task)
  if (next === undefined) throw new Error('not allowed')
  return next
}

function answered(task: Task, ...keys: string[]): Task {
  const next = toAnswered(record(keys, key => given(`to ${key}`)))(task)
  if (next === undefined) throw new Error('not allowed')
  return next
}

const open = ({ questions }: Task) => Object.keys(questions)
const answerAll = (task: Task) => answered(task, ...open(task))

/** As the store may give it back. */
const stored = (task: Task): Task => JSON.parse(JSON.stringify(task))

t.test('task: the first time a question is called what its handler calls it', async t => {
  const task = asked(aTask(), 'name', 'age')

  t.strictSame(open(task), ['name', 'age'])
  t.strictSame({ ...task.questions['name'] }, { key: 'name', request: question('name') })
  t.match(task, { status: 'input_required', rounds: 1, issued: ['name', 'age'] })
})

t.test('task: what is asked again is asked by another key', async t => {
  let task = aTask()
  const keys = Array.from({ length: 4 }, () => {
    task = asked(task, 'name')
    const [key] = open(task)
    task = answerAll(task)
    return key
  })

  t.strictSame(keys, ['name', 'name-2', 'name-3', 'name-4'])
  t.equal(task.rounds, 4)
})

t.test('task: whatever its key is, an answer is known by what the handler calls the question', async t => {
  const again = asked(answerAll(asked(aTask(), 'name')), 'name')

  const task = answered(again, 'name-2')

  t.strictSame({ ...task.answers }, { name: given('to name-2') })
})

t.test('task: a key that the handler uses itself is not used for another question', async t => {
  let task = answerAll(asked(aTask(), 'name', 'name-2'))

  task = asked(task, 'name', 'name-2', 'name-3')

  t.strictSame(open(task), ['name-3', 'name-2-2', 'name-3-2'])
  t.strictSame(
    Object.values(task.questions).map(({ key }) => key),
    ['name', 'name-2', 'name-3'],
  )
})

t.test('task: no key is ever used twice, whatever a handler asks', async t => {
  const key = fc.constantFrom('a', 'a-2', 'a-2-2', 'a-3', '__proto__', '__proto__-2', 'constructor', '2', '')
  const rounds = fc.array(fc.uniqueArray(key, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })

  fc.assert(
    fc.property(rounds, rounds => {
      let task = aTask()
      const used: string[] = []
      for (const keys of rounds) {
        task = stored(asked(task, ...keys))
        used.push(...open(task))
        task = stored(answerAll(task))
      }
      const isOnce = new Set(used).size === used.length && used.length === rounds.flat().length
      return isOnce && new Set(task.issued).size === used.length
    }),
  )
  t.pass('100 tasks')
})

t.test('task: the answers that the tool has used are those that it finds the next time', async t => {
  const task = answerAll(asked(aTask(), 'right', 'wrong'))

  const next = toInputRequired({ wrong: question('Again?') }, { right: given('to right') })(task)!

  t.strictSame(next.answers, { right: given('to right') })
  t.strictSame(answerAll(next).answers, { right: given('to right'), wrong: given('to wrong-2') })
})

t.test('task: it goes on when no question is left open, and not before', async t => {
  const task = asked(aTask(), 'a', 'b', 'c')

  const partly = answered(task, 'b')
  t.match(partly, { status: 'input_required', version: 2 })
  t.strictSame(open(partly), ['a', 'c'])
  t.strictSame({ ...partly.answers }, { b: given('to b') })
  const wholly = answered(partly, 'a', 'c')

  t.match(wholly, { status: 'working', version: 3 })
  t.strictSame(open(wholly), [])
  t.strictSame({ ...wholly.answers }, { a: given('to a'), b: given('to b'), c: given('to c') })
})

t.test('task: of two answers to one question the first counts', async t => {
  const partly = answered(asked(aTask(), 'a', 'b'), 'a')

  t.equal(toAnswered({ a: given('changed') })(partly), undefined)
  const task = toAnswered({ a: given('changed'), b: given('to b') })(partly)!

  t.strictSame({ ...task.answers }, { a: given('to a'), b: given('to b') })
})

t.test('task: answers to questions that nobody asked are ignored, and held nowhere', async t => {
  const task = asked(aTask(), 'a', 'b')

  t.equal(toAnswered({ c: given('x') })(task), undefined)
  t.equal(toAnswered({})(task), undefined)
  const partly = toAnswered({ a: given('x'), c: given('y'.repeat(100_000)) })(task)!

  t.strictSame({ ...partly.answers }, { a: given('x') })
  t.ok(partly.size < task.size + 1000, 'nor counted')
})

t.test('task: what answers inherit is no answer', async t => {
  t.equal(toAnswered(Object.create({ a: given('inherited') }))(asked(aTask(), 'a')), undefined)
})

t.test('task: what a client would not answer is an answer', async t => {
  const task = toAnswered({ a: { refused: 'no' } })(asked(aTask(), 'a'))!

  t.match(task, { status: 'working', answers: { a: { refused: 'no' } } })
})

for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
  t.test(`task: a question may be called ${key}`, async t => {
    const task = stored(asked(aTask(), key, 'other'))
    t.strictSame(open(task), [key, 'other'])

    const known = answered(task, key, 'other')

    t.equal(known.status, 'working')
    t.strictSame(Object.entries(known.answers), [
      [key, given(`to ${key}`)],
      ['other', given('to other')],
    ])
    t.equal(Object.getPrototypeOf(known.answers), Object.prototype)
    t.strictSame(open(asked(known, key)), [`${key}-2`])
  })

  t.test(`task: an answer called ${key} answers no other question`, async t => {
    const task = asked(aTask(), 'a')

    t.equal(toAnswered(record([key], () => given('x')))(task), undefined)
  })
}

t.test('task: what it holds is never more than its size', async t => {
  const whole = fc.array(fc.record({ keys: fc.uniqueArray(fc.string(), { minLength: 1 }), isPartial: fc.boolean() }))

  fc.assert(
    fc.property(whole, rounds => {
      let task = aTask()
      const sizes = [task.size]
      for (const { keys, isPartial } of rounds) {
        task = asked(task, ...keys)
        sizes.push(task.size)
        if (isPartial) task = answered(task, open(task)[0]!)
        if (task.status === 'input_required') task = answerAll(task)
        sizes.push(task.size)
        if (heldBy(task) > task.size) return false
      }
      return sizes.every((size, index) => index === 0 || size > sizes[index - 1]!)
    }),
  )
  t.pass('100 tasks')
})

// Two for each pair of braces that there is without anything in them.
const heldBy = ({ job, questions, answers }: Task) =>
  countJsonBytes(job!) + countJsonBytes(questions) + countJsonBytes(answers) - 2 * countJsonBytes({})

const LATER_MS = Date.now() + 60_000
const by = (who: string, over: 'stream' | 'result', untilMs = LATER_MS) => ({ by: who, over, untilMs })

t.test('task: a session is asked by one at a time, except by its own waiting requests', t => {
  const open = asked(aTask(), 'name')
  const onStream = toAsked('s1', by('a', 'stream'))(open)!

  t.ok(toAsked('s1', by('a', 'stream'))(onStream), 'the mark is renewed')
  t.equal(toAsked('s1', by('b', 'stream'))(onStream), undefined)
  t.equal(toAsked('s1', by('b', 'result'))(onStream), undefined)
  t.ok(toAsked('s2', by('b', 'stream'))(onStream), 'another session is asked, too')

  const byRequest = toAsked('s1', by('a', 'result'))(open)!
  t.equal(toAsked('s1', by('b', 'stream'))(byRequest), undefined)
  t.ok(toAsked('s1', by('b', 'result'))(byRequest))
  t.end()
})

t.test('task: a mark counts until its time has passed, its asker takes it away, or the task goes on', t => {
  const open = asked(aTask(), 'name')
  const marked = toAsked('s1', by('a', 'stream'))(open)!

  t.equal(toUnasked('s1', 'b')(marked), undefined)
  t.ok(toAsked('s1', by('b', 'stream'))(toUnasked('s1', 'a')(marked)!))
  t.ok(toAsked('s1', by('b', 'stream'))(toAsked('s1', by('a', 'stream', 0))(open)!))
  t.equal(toAsked('s1', by('a', 'stream'))(answerAll(marked)), undefined)
  t.equal(asked(answerAll(marked), 'age').asked, undefined)
  t.end()
})

t.test('task: what its handler keeps for later rounds counts to its size, once', async t => {
  const notes = (length: number) => ({ '': given({ kept: { it: 'x'.repeat(length) } }) })
  const ask = (task: Task, length: number) =>
    toInputRequired({ a: question('a') }, { ...task.answers, ...notes(length) })(task)!

  const first = ask(aTask(), 10_000)
  const second = ask(answerAll(first), 10_000)
  const third = ask(answerAll(second), 20_000)

  t.ok(first.size - aTask().size >= 10_000)
  t.ok(second.size - first.size < 5000)
  t.ok(third.size - second.size >= 10_000)
  t.ok([first, second, third].every(task => heldBy(task) <= task.size))
})
