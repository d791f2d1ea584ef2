import t from 'tap'
import { run, type Steps, wait } from '../../../src/request/steps.ts'

function* add(a: number | Promise<number>, b: number | Promise<number>): Steps<number> {
  return (yield* wait(a)) + (yield* wait(b))
}

const fail = (text: string): never => {
  throw new Error(text)
}

t.test('steps that do not wait end in the same tick', t => {
  t.equal(run(add(1, 2)), 3)
  t.end()
})

t.test('steps that wait give a promise, wherever the first promise stands', async t => {
  for (const [a, b] of [
    [Promise.resolve(1), 2],
    [1, Promise.resolve(2)],
    [Promise.resolve(1), Promise.resolve(2)],
  ] as const) {
    const sum = run(add(a, b))
    t.ok(sum instanceof Promise)
    t.equal(await sum, 3)
  }
})

t.test('a promise that steps return is awaited like one that they wait for', async t => {
  const outer = run(
    (function* (): Steps<number> {
      return yield* wait(run(add(Promise.resolve(1), 2)))
    })(),
  )
  t.equal(await outer, 3)
})

t.test('steps call other steps', async t => {
  function* twice(value: number | Promise<number>): Steps<number> {
    return 2 * (yield* add(value, value))
  }
  t.equal(run(twice(2)), 8)
  t.equal(await run(twice(Promise.resolve(2))), 8)
})

t.test('an error before the first promise is thrown, a later one rejects', async t => {
  function* steps(value: number | Promise<number>): Steps<number> {
    yield* wait(value)
    return fail('after')
  }
  t.throws(() => run(steps(1)), { message: 'after' })
  await t.rejects(Promise.resolve(run(steps(Promise.resolve(1)))), { message: 'after' })
})

t.test('a rejected promise can be caught inside, and what follows runs', async t => {
  function* steps(): Steps<string> {
    try {
      yield* wait(Promise.reject(new Error('no')))
    } catch (error) {
      return `caught ${(error as Error).message} ${yield* wait(Promise.resolve('twice'))}`
    }
    return 'not caught'
  }
  t.equal(await run(steps()), 'caught no twice')
})

t.test('a rejected promise that nobody catches rejects, with the same error', async t => {
  const error = new Error('no')
  await t.rejects(Promise.resolve(run(add(1, Promise.reject(error)))), error)
})

t.test('finally runs once, after what was waited for', async t => {
  const ends: [() => unknown, string[]][] = [
    [() => 'ok', ['ok', 'finally']],
    [() => Promise.resolve('ok'), ['ok', 'finally']],
    [() => fail('no'), ['finally', 'failed']],
    [() => Promise.reject(new Error('no')), ['finally', 'failed']],
  ]
  for (const [end, expected] of ends) {
    const seen: unknown[] = []
    function* steps(): Steps<void> {
      try {
        seen.push(yield* wait(end()))
      } finally {
        seen.push('finally')
      }
    }
    await (async () => run(steps()))().catch(() => seen.push('failed'))
    t.strictSame(seen, expected)
  }
})
