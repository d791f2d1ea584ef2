// Extension io.modelcontextprotocol/tasks: the status message of a task that works is how far it has come.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { until } from '../../support/security/hostile.ts'
import { cancel, get, job, nextTurn, rack, start, taskFrom, textOf, whenEnded } from '../../support/tasks/modern.ts'

/** Reports each of these, then waits. */
function reporter(reports: [progress: number, total?: number, message?: string][]) {
  const told = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const tool = job('reporter', async ({ progress }) => {
    for (const [value, total, message] of reports) progress(value, total, message)
    told.resolve()
    await gate.promise
    progress(1000, 1000, 'at the end')
    return 'done'
  })
  return { tool, told: told.promise, release: gate.resolve }
}

const messageOf = async (app: Parameters<typeof get>[0], taskId: string) =>
  (await get(app, taskId)).result.statusMessage as string | undefined

t.test('tasks/get: progress is the status message, clean and on one line', async t => {
  const { tool, told, release } = reporter([[3, 10, 'reading\u001b[31m\nlines']])
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'reporter')
  await told

  await until(async () => (await messageOf(app, taskId)) !== undefined, 'it was told')

  t.equal(await messageOf(app, taskId), 'reading lines (3 of 10)')
  t.equal((await get(app, taskId)).result.status, 'working')
  release()
  await whenEnded(app, taskId)
})

t.test('tasks/get: `_meta` has the progress as numbers until the task ends', async t => {
  const { tool, told, release } = reporter([[3, 10, 'reading']])
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'reporter')
  await told

  await until(async () => (await messageOf(app, taskId)) !== undefined, 'it was told')

  const { _meta } = (await get(app, taskId)).result
  t.strictSame(_meta['toolrack/progress'], { progress: 3, total: 10, message: 'reading' })
  release()
  t.notOk((await whenEnded(app, taskId))._meta['toolrack/progress'])
})

const LEVEL = 'io.modelcontextprotocol/logLevel'
const chatty = job('chatty', async ({ log }) => {
  log.debug('too fine')
  for (let step = 1; step <= 60; step++) log.info(`step ${step}`, step === 60 ? { left: 0 } : undefined)
  log.warning('x'.repeat(5000))
  return 'done'
})

t.test('tasks/get: `_meta` has the newest of what the task logs, at the level that its call asked for', async t => {
  const app = await rack(t, [chatty])
  const { result } = await start(app, 'chatty', {}, { meta: { [LEVEL]: 'info' } })

  const { _meta } = await whenEnded(app, result.taskId)

  const { entries, before } = _meta['toolrack/log']
  t.strictSame([entries.length, before], [50, 11])
  t.strictSame(entries[0], { level: 'info', logger: 'chatty', data: 'step 12' })
  t.strictSame(entries[48].data, { message: 'step 60', data: { left: 0 } })
  t.match(entries[49], { level: 'warning', data: /^an entry of 5\d{3} bytes/ })
})

t.test('tasks/get: a task whose call asked for no log has none', async t => {
  const app = await rack(t, [chatty])
  const { result } = await start(app, 'chatty', {})
  const { _meta = {} } = await whenEnded(app, result.taskId)
  t.notOk('toolrack/log' in _meta)
})

t.test('tasks/get: progress without a message is a number, what does not grow is left out', async t => {
  const WRITTEN: [Parameters<typeof reporter>[0], string | undefined][] = [
    [[[3]], '3'],
    [[[3, 4]], '3 of 4'],
    [[[3, Number.NaN]], '3'],
    [[[3], [2], [3, 9, 'again']], '3'],
    [[[Number.NaN, 4]], undefined],
  ]
  for (const [reports, written] of WRITTEN) {
    const { tool, told, release } = reporter(reports)
    const app = await rack(t, [tool])
    const taskId = await taskFrom(app, 'reporter')
    await told
    if (written !== undefined) await until(async () => (await messageOf(app, taskId)) !== undefined, written)
    t.equal(await messageOf(app, taskId), written)
    release()
    await whenEnded(app, taskId)
  }
})

t.test('tasks/get: of much progress the newest is told in the end, though nothing follows', async t => {
  const { tool, told, release } = reporter(Array.from({ length: 500 }, (_, n) => [n, 500, `step ${n}`]))
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'reporter')
  await told

  await until(async () => (await messageOf(app, taskId)) === 'step 499 (499 of 500)', 'the newest was told')

  release()
  t.equal('statusMessage' in (await whenEnded(app, taskId)), false, 'and is gone with the end')
})

t.test('tasks/get: a long message of progress is cut', async t => {
  const { tool, told, release } = reporter([[1, 2, 'x'.repeat(100_000)]])
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'reporter')
  await told

  await until(async () => (await messageOf(app, taskId)) !== undefined, 'it was told')

  t.ok((await messageOf(app, taskId))!.length < 1100)
  release()
})

t.test('tasks/get: progress that comes after the end changes nothing', async t => {
  let report: () => void = () => {}
  const app = await rack(t, [
    job('stray', ({ progress }) => {
      report = () => progress(5, 10, 'from beyond')
      return 'done'
    }),
    job('deaf', ({ progress }) => {
      report = () => progress(5, 10, 'from beyond')
      return new Promise(() => {})
    }),
  ])
  const ended = await taskFrom(app, 'stray')
  const before = await whenEnded(app, ended)
  report()
  await sleep(20)
  t.strictSame((await get(app, ended)).result, before)

  const cancelled = await taskFrom(app, 'deaf')
  await cancel(app, cancelled)
  const after = (await get(app, cancelled)).result
  report()
  await sleep(20)
  t.strictSame((await get(app, cancelled)).result, after)
})

t.test('tasks/get: no progress and no log of a task goes to a client that asked for it with its call', async t => {
  const app = await rack(t, [
    job('talks', async ({ progress, log }) => {
      await nextTurn()
      progress(1, 2, 'half')
      log.error('loud')
      return 'done'
    }),
  ])
  const meta = { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'debug' }

  const { notifications, result } = await start(app, 'talks', {}, { meta })

  t.strictSame(notifications, [])
  const look = await get(app, result.taskId, { meta })
  t.strictSame(look.notifications, [])
  t.equal(textOf(await whenEnded(app, result.taskId)), 'done')
})
