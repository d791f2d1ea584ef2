// Extension io.modelcontextprotocol/tasks: "Task Cancellation".
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { until } from '../../support/security/hostile.ts'
import {
  cancel,
  get,
  held,
  job,
  nextTurn,
  rack,
  start,
  taskFrom,
  textOf,
  whenEnded,
} from '../../support/tasks/modern.ts'

const isAcknowledged = ({ result }: { result?: object }) => ({ ...result, _meta: undefined })
const ACKNOWLEDGED = { resultType: 'complete', _meta: undefined }

t.test('tasks/cancel: it is acknowledged with an empty result, the tool aborts, the task is cancelled', async t => {
  const { tool, seen } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')
  await until(() => seen.begun === 1, 'it began')

  const acknowledged = await cancel(app, taskId)

  t.strictSame(isAcknowledged(acknowledged), ACKNOWLEDGED)
  t.strictSame(seen.aborted, ['The client cancelled the request'])
  const { result } = await get(app, taskId)
  t.match(result, { resultType: 'complete', status: 'cancelled', statusMessage: /cancelled/ })
  for (const member of ['result', 'error', 'inputRequests']) t.equal(member in result, false, member)
})

t.test('tasks/cancel: a task that has ended is acknowledged like any other, and stays as it was', async t => {
  const { tool } = held()
  const app = await rack(t, [tool, job('quick', () => 'quick')])
  const [completed, cancelled] = [await taskFrom(app, 'quick'), await taskFrom(app, 'held')]
  await whenEnded(app, completed)
  await cancel(app, cancelled)

  for (const taskId of [completed, cancelled]) {
    const before = (await get(app, taskId)).result
    for (const _ of [1, 2]) t.strictSame(isAcknowledged(await cancel(app, taskId)), ACKNOWLEDGED)
    t.strictSame((await get(app, taskId)).result, before)
  }
})

t.test('tasks/cancel: a handler that ends later, well or not, changes nothing any more', async t => {
  for (const ending of ['resolve', 'reject'] as const) {
    const gate = Promise.withResolvers<string>()
    const app = await rack(t, [job('deaf', () => gate.promise)])
    const taskId = await taskFrom(app, 'deaf')
    await cancel(app, taskId)
    const before = (await get(app, taskId)).result

    gate[ending]('too late')
    await sleep(20)

    t.strictSame((await get(app, taskId)).result, before)
    t.equal(before.status, 'cancelled')
  }
})

t.test('tasks/cancel: of many at once all are acknowledged, and the tool aborts once', async t => {
  const { tool, seen } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  const all = await Promise.all(Array.from({ length: 20 }, () => cancel(app, taskId)))

  for (const each of all) t.strictSame(isAcknowledged(each), ACKNOWLEDGED)
  t.equal(seen.aborted.length, 1)
})

t.test('tasks/cancel: it ends one task, and no other of the same call', async t => {
  const { tool, seen, release } = held()
  const app = await rack(t, [tool])
  const [one, other] = [await taskFrom(app, 'held'), await taskFrom(app, 'held')]

  await cancel(app, one)
  release('the other')

  t.equal(textOf(await whenEnded(app, other)), 'the other')
  t.equal((await get(app, one)).result.status, 'cancelled')
  t.equal(seen.aborted.length, 1)
})

t.test('tasks/cancel: a task that waits for a slot never runs, and its place is free', async t => {
  const { tool, seen, release } = held()
  const ran: unknown[] = []
  const app = await rack(t, [tool, job('marks', (_ctx, { n }) => void ran.push(n))], {
    limits: { maxConcurrentCalls: 1 },
  })
  const running = await taskFrom(app, 'held')
  await until(() => seen.begun === 1, 'it began')
  const [waiting, next] = [await taskFrom(app, 'marks', { n: 1 }), await taskFrom(app, 'marks', { n: 2 })]
  t.equal((await get(app, waiting)).result.status, 'working')

  await cancel(app, waiting)
  release()

  await whenEnded(app, running)
  await whenEnded(app, next)
  t.strictSame(ran, [2])
  t.equal((await get(app, waiting)).result.status, 'cancelled')
})

t.test('tasks/cancel: a task that waits for the concurrency of its tool never runs', async t => {
  const { tool, seen, release } = held('held', { concurrency: 1 })
  const app = await rack(t, [tool])
  const taskIds = [await taskFrom(app, 'held'), await taskFrom(app, 'held'), await taskFrom(app, 'held')]

  await cancel(app, taskIds[1]!)
  t.equal((await get(app, taskIds[1]!)).result.status, 'cancelled')
  release()

  for (const taskId of [taskIds[0]!, taskIds[2]!]) t.equal((await whenEnded(app, taskId)).status, 'completed')
  t.equal(seen.begun, 2)
})

t.test('tasks: the concurrency of a tool holds for its tasks and its calls together', async t => {
  const seen = { running: 0, most: 0 }
  const narrow = job(
    'narrow',
    async () => {
      seen.most = Math.max(seen.most, ++seen.running)
      await nextTurn()
      seen.running--
      return 'done'
    },
    { concurrency: 2 },
  )
  const app = await rack(t, [narrow])
  const tasks = Array.from({ length: 10 }, () => taskFrom(app, 'narrow'))
  const calls = Array.from({ length: 10 }, () => start(app, 'narrow', {}, { capabilities: {} }))

  for (const taskId of await Promise.all(tasks)) t.equal(textOf(await whenEnded(app, taskId)), 'done')
  for (const { result } of await Promise.all(calls)) t.match(result, { content: [{ text: 'done' }] })

  t.equal(seen.most, 2)
})

t.test('tasks: a tool without a concurrency runs its tasks side by side', async t => {
  const { tool, seen, release } = held()
  const app = await rack(t, [tool])
  const taskIds = await Promise.all(Array.from({ length: 10 }, () => taskFrom(app, 'held')))

  await until(() => seen.begun === 10, 'all began')

  release()
  for (const taskId of taskIds) t.equal((await whenEnded(app, taskId)).status, 'completed')
})

t.test('tasks: a task that is past the rate of its tool is completed with isError', async t => {
  const app = await rack(t, [job('rare', () => 'ran', { rateLimit: { max: 1, timeWindow: '1 minute' } })])

  const ends = [await taskFrom(app, 'rare'), await taskFrom(app, 'rare')].map(taskId => whenEnded(app, taskId))

  const [first, second] = await Promise.all(ends)
  t.equal(textOf(first), 'ran')
  t.match(second, { status: 'completed', result: { isError: true } })
  t.match(textOf(second), /^rare allows 1 calls in 60 s; retry in \d+ s$/)
})
