// Extension io.modelcontextprotocol/tasks: "Task Status" and "Task Execution Errors".
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ToolError } from '../../../src/index.ts'
import { accept, form } from '../../support/input/rounds.ts'
import {
  get,
  type Handler,
  held,
  job,
  nextTurn,
  rack,
  start,
  taskFrom,
  textOf,
  update,
  whenAsking,
  whenEnded,
} from '../../support/tasks/modern.ts'

t.test('tasks/get: completed, with the result of the call and nothing else', async t => {
  const app = await rack(t, [
    job('full', () => ({ content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 }, _meta: { 'x/y': 1 } })),
  ])

  const task = await whenEnded(app, await taskFrom(app, 'full'))

  const { _meta, ...inline } = (await start(app, 'full', {}, { capabilities: {} })).result
  t.equal(task.status, 'completed')
  t.strictSame(task.result, { ...inline, _meta: { 'x/y': 1 } })
  t.equal('error' in task, false)
  t.equal(task.resultType, 'complete')
})

t.test('tasks/get: a tool that fails is completed with isError, never failed', async t => {
  const FAILURES: Record<string, Handler> = {
    throws: () => {
      throw new ToolError('no luck')
    },
    rejects: async () => {
      await nextTurn()
      throw new Error('no luck')
    },
    says: () => ({ content: [{ type: 'text', text: 'no luck' }], isError: true }),
  }
  const app = await rack(
    t,
    Object.entries(FAILURES).map(([name, handler]) => job(name, handler)),
  )

  for (const name of Object.keys(FAILURES)) {
    const task = await whenEnded(app, await taskFrom(app, name))
    t.match(task, { status: 'completed', statusMessage: 'no luck', result: { isError: true } }, name)
    t.equal(textOf(task), 'no luck')
    t.equal('error' in task, false)
  }
})

t.test('tasks/get: failed is for errors of the protocol, with code and message, and says why', async t => {
  const asks = job('asks', async ({ elicit }) => {
    await nextTurn()
    await elicit('name', form('name'))
  })
  const app = await rack(t, [asks])
  const taskId = await taskFrom(app, 'asks')
  await whenAsking(app, taskId)

  app.toolrack.remove('asks')
  await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })

  const task = await whenEnded(app, taskId)
  t.match(task, { status: 'failed', error: { code: -32602, message: 'Unknown tool: asks' } })
  t.equal(task.statusMessage, task.error.message)
  t.equal('result' in task, false)
})

t.test('tasks/get: lastUpdatedAt moves with the task, createdAt and ttlMs do not', async t => {
  const { tool, release } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')
  const { createdAt, lastUpdatedAt, ttlMs } = (await get(app, taskId)).result
  t.equal(lastUpdatedAt, createdAt)
  await sleep(10)

  release()

  const ended = await whenEnded(app, taskId)
  t.match(ended, { createdAt, ttlMs })
  t.ok(ended.lastUpdatedAt > lastUpdatedAt, ended.lastUpdatedAt)
})

t.test('tasks/get: what ran longer than its timeout is completed with isError, and was aborted', async t => {
  const { tool, seen } = held('slow', { timeout: 20 })
  const app = await rack(t, [tool])

  const task = await whenEnded(app, await taskFrom(app, 'slow'))

  t.match(task, { status: 'completed', result: { isError: true } })
  t.equal(textOf(task), 'slow timed out after 20 ms')
  t.strictSame(seen.aborted, ['The deadline passed'])
})

t.test('tasks/get: what lasts longer than its request may, within its timeout, is not cut', async t => {
  const { tool, release } = held('slow', { timeout: 600_000 })
  const app = await rack(t, [tool], { limits: { toolTimeout: 10 } })

  const taskId = await taskFrom(app, 'slow')
  await sleep(50)
  release('done')

  t.equal(textOf(await whenEnded(app, taskId)), 'done')
})

t.test('tasks: what ends of itself is not aborted behind its end', async t => {
  const aborted: string[] = []
  const handlers: Record<string, Handler> = {
    returns: () => 'done',
    throws: () => {
      throw new ToolError('no luck')
    },
  }
  const app = await rack(
    t,
    Object.entries(handlers).map(([name, handler]) =>
      job(name, async (ctx, args) => {
        ctx.signal.addEventListener('abort', () => aborted.push(name))
        await nextTurn()
        return handler(ctx, args)
      }),
    ),
  )

  for (const name of Object.keys(handlers))
    t.equal((await whenEnded(app, await taskFrom(app, name))).status, 'completed')
  await nextTurn()

  t.strictSame(aborted, [])
})
