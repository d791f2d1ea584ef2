// Tasks that run, or would, when the server stops.
import t from 'tap'
import type { Task } from '../../../src/state/task.ts'
import { describeTask } from '../../../src/tasks/describe.ts'
import { until } from '../../support/security/hostile.ts'
import { partsWith } from '../../support/tasks/parts.ts'

type Parts = ReturnType<typeof partsWith>

const look = async ({ tasks }: Parts, { id }: Task) => describeTask((await tasks.read(id))!, {})

t.test('shutdown: a task that runs is failed as interrupted, whether or not it heeds its signal', async t => {
  const aborted: string[] = []
  let begun = 0
  const parts = partsWith(
    {
      name: 'heeds',
      handler(_args, { signal }) {
        begun++
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason.message)
            reject(signal.reason)
          })
        })
      },
    },
    {
      name: 'deaf',
      handler() {
        begun++
        return new Promise(() => {})
      },
    },
  )
  const opened = [await parts.open('heeds'), await parts.open('deaf')]
  await until(() => begun === 2, 'both began')

  await parts.tasks.stop()
  await parts.inflight.drain(10)

  for (const each of opened) {
    const task = await look(parts, each)
    t.match(task, { status: 'failed', error: { code: -32603, message: /^interrupted: / } })
    t.equal(task['statusMessage'], (task['error'] as Error).message)
  }
  t.strictSame(aborted, ['The server is shutting down'])
})

t.test('shutdown: what ends in time is completed', async t => {
  const gate = Promise.withResolvers<string>()
  let hasBegun = false
  const held = () => {
    hasBegun = true
    return gate.promise
  }
  const parts = partsWith({ name: 'held', handler: held })
  const opened = await parts.open('held')
  await until(() => hasBegun, 'it began')
  await parts.tasks.stop()
  const drained = parts.inflight.drain(60_000)

  gate.resolve('in time')
  await drained

  t.match(await look(parts, opened), { status: 'completed', result: { content: [{ text: 'in time' }] } })
})

t.test('shutdown: a task that comes when the server stops does not begin', async t => {
  let runs = 0
  const parts = partsWith({ name: 'counts', handler: () => ++runs })
  await parts.tasks.stop()

  const opened = await parts.open('counts')
  await parts.inflight.drain(10)

  t.equal((await look(parts, opened))['status'], 'working')
  t.equal(runs, 0)
})
