// After which ends a call with the same idempotency key runs again, and after which it does not.
import t, { type Test } from 'tap'
import { operator } from '../../../packages/redis/test/links.ts'
import { defineTool, type ToolContext } from '../../../src/index.ts'
import { type App, build, call, callTool } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'
import { textOf } from '../../support/client/reply.ts'
import { until } from '../../support/clients/connect.ts'
import { failure, text } from '../../support/orders.ts'
import { NO_REDIS, type RedisServer, redisServer } from '../../support/servers/redis-server.ts'
import { TASKS } from '../../support/tasks/modern.ts'

const KEY = { idempotencyKey: '1' }

/** Runs of `write` and of the idempotent `put`; the first one of each waits for its abort. */
function writers() {
  const runs: string[] = []
  const handlerOf =
    (name: string) =>
    async (_args: object, { signal }: ToolContext) => {
      runs.push(name)
      if (runs.filter(each => each === name).length > 1) return `${name} again`
      return new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
  const task = 'optional' as const
  const tools = [
    defineTool({ name: 'write', idempotency: true, task, handler: handlerOf('write') }),
    defineTool({
      name: 'put',
      idempotency: true,
      task,
      annotations: { idempotentHint: true },
      handler: handlerOf('put'),
    }),
  ]
  const replica = (t: Test, { url: redisUrl }: RedisServer): Promise<App> =>
    build(t, { redis: { url: redisUrl }, tools, drainMs: 20, tasks: { inlineMs: 0 }, rateLimit: { max: 10_000 } })
  return { runs, replica }
}

t.test('a call that a shutdown ends runs again if the tool is idempotent', { skip: NO_REDIS }, async t => {
  const server = await redisServer(t)
  const { runs, replica } = writers()
  const [one, two] = [await replica(t, server), await replica(t, server)]
  const calls = [callTool(one, 'write', KEY), callTool(one, 'put', KEY)] as const
  await until(() => runs.length === 2, 'both run')
  await one.close()

  const uncertain =
    'write was cancelled: the server is shutting down. ' +
    'It may have acted: check, and call again with another idempotency key if it has not.'
  t.match(await calls[0], failure(uncertain))
  t.match(await calls[1], failure('put was cancelled: the server is shutting down; retry'))
  t.match(await callTool(two, 'write', KEY), failure(uncertain))
  t.match(await callTool(two, 'put', KEY), text('put again'))
  t.strictSame(runs.sort(), ['put', 'put', 'write'])
})

t.test('so does a call that was to become a task', { skip: NO_REDIS }, async t => {
  const server = await redisServer(t)
  const { runs, replica } = writers()
  const one = await replica(t, server)
  const asked = await call(one, 'tools/call', { name: 'put', arguments: KEY }, { capabilities: TASKS })
  t.equal(asked.result.resultType, 'task')
  await until(() => runs.length === 1, 'it runs')
  // Only now, since any replica may run a task.
  const two = await replica(t, server)
  await one.close()

  t.match(await callTool(two, 'put', KEY), text('put again'))
})

t.test('a call whose server is gone runs again if the tool is idempotent', { skip: NO_REDIS }, async t => {
  const server = await redisServer(t)
  const { runs, replica } = writers()
  const [one, two] = [await replica(t, server), await replica(t, server)]
  const calls = [callTool(one, 'write', KEY), callTool(one, 'put', KEY)]
  await until(() => runs.length === 2, 'both run')
  const client = operator(server, t)
  const running = await client.zrange('toolrack:kept-running', '0', '-1')
  for (const id of running) await client.zadd('toolrack:kept-running', 1, id)

  t.equal(running.length, 2)
  t.match(
    await callTool(two, 'write', KEY),
    failure(/^What the first call of write with this key came to is not known\. It may have acted/),
  )
  t.match(await callTool(two, 'put', KEY), text('put again'))
  await one.close()
  await Promise.all(calls)
  t.match(await callTool(two, 'put', KEY), text('put again'), 'the end of the first run changes nothing')
})

t.test('what could not be asked runs again, in every revision', async t => {
  const asks = defineTool({
    name: 'ask',
    idempotency: true,
    async handler(_args, ctx) {
      await ctx.elicit('sure', { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } })
      return 'done'
    },
  })
  const app = await build(t, { tools: [asks] })
  const unable = await open(t, app, { capabilities: {} })

  t.match(textOf(await unable.callTool('ask', KEY)), /cannot/)
  t.match(await call(app, 'tools/call', { name: 'ask', arguments: KEY }), { error: { code: -32021 } })
  const capabilities = { elicitation: {} }
  const asked = await call(app, 'tools/call', { name: 'ask', arguments: KEY }, { capabilities })
  t.equal(asked.result.resultType, 'input_required')
})
