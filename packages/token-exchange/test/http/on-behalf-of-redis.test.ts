// Tokens for other services where tasks and sessions are in Redis: the tokens themselves never are.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { build } from '../../../../test/support/app.ts'
import { ALICE, CLIENT_SECRET, exchangeSettings, subjectOf } from '../../../../test/support/auth/on-behalf.ts'
import { tokenService } from '../../../../test/support/auth/token-service.ts'
import { open } from '../../../../test/support/client/app-client.ts'
import { accept } from '../../../../test/support/input/rounds.ts'
import { NO_REDIS, redisServer } from '../../../../test/support/servers/redis-server.ts'
import { job, taskFrom, textOf, update, whenAsking, whenEnded } from '../../../../test/support/tasks/modern.ts'
import { keysOf, nameOf } from '../../../../test/support/tasks/modern-asking.ts'

/** Everything that clients say to a Redis. */
async function overhear(t: Test, url: string) {
  const client = new Redis(url)
  const monitor = await client.monitor()
  const heard = { text: '' }
  monitor.on('monitor', (_time, words: string[]) => (heard.text += `${words.join(' ')}\n`))
  t.teardown(() => {
    monitor.disconnect()
    client.disconnect()
  })
  return heard
}

t.test('B39: neither the token of a caller nor what it was exchanged for is in Redis', { skip: NO_REDIS }, async t => {
  const { url: redisUrl } = await redisServer(t)
  const heard = await overhear(t, redisUrl)
  const service = await tokenService(t)
  const given: string[] = []
  const isTask = Promise.withResolvers<void>()
  const tools = [
    job('work', async ctx => {
      given.push(await ctx.caller!.tokenFor({ audience: 'reports' }))
      // What it asks before there is a task would be asked by the call.
      await isTask.promise
      const name = await nameOf(ctx)
      given.push(await ctx.caller!.tokenFor({ audience: 'reports-again' }))
      return `for ${name}`
    }),
  ]
  const app = await build(t, {
    ...exchangeSettings(service),
    drainMs: 20,
    tools,
    tasks: { inlineMs: 0 },
    redis: { url: redisUrl },
  })

  const taskId = await taskFrom(app, 'work', {}, ALICE)
  isTask.resolve()
  const [key] = keysOf(await whenAsking(app, taskId, ALICE))
  await update(app, { taskId, inputResponses: { [key!]: accept({ name: 'Ada' }) } }, ALICE)
  t.equal(textOf(await whenEnded(app, taskId, ALICE)), 'for Ada', 'this process has the token for both turns')
  const session = await open(t, app, { headers: ALICE.headers })
  await session.send(session.request('tools/call', { name: 'work', arguments: {}, task: {} }), ALICE.headers)

  t.ok(given.length >= 3)
  t.ok(service.asked.every(({ form }) => form['subject_token'] === ALICE.token))
  t.match(heard.text, /alice/, 'the task was overheard')
  for (const secret of [ALICE.token, ALICE.token.split('.')[2]!, CLIENT_SECRET, ...given])
    t.notOk(heard.text.includes(secret), secret.slice(0, 20))
})

t.test('a task that goes on in another process gets no token, and says so', { skip: NO_REDIS }, async t => {
  const { url: redisUrl } = await redisServer(t)
  const service = await tokenService(t)
  const isTask = Promise.withResolvers<void>()
  const tools = [
    job('work', async ctx => {
      // What it asks before there is a task would be asked by the call.
      await isTask.promise
      await nameOf(ctx)
      return await ctx.caller!.tokenFor({ audience: 'reports' })
    }),
  ]
  const options = { ...exchangeSettings(service), drainMs: 20, tools, tasks: { inlineMs: 0 }, redis: { url: redisUrl } }
  const first = await build(t, options)
  const taskId = await taskFrom(first, 'work', {}, ALICE)
  isTask.resolve()
  const [key] = keysOf(await whenAsking(first, taskId, ALICE))
  await first.close()

  const second = await build(t, options)
  // Its own callers have tokens here, also alice: a task has that of its call, or none.
  const newer = subjectOf({ sub: 'alice', jti: 'newer' })
  await update(second, { taskId, inputResponses: { [key!]: accept({ name: 'Ada' }) } }, newer)

  const ended = await whenEnded(second, taskId, newer)
  t.ok(ended.result.isError)
  t.match(textOf(ended), /stays in the process that it came to, and this task runs in another one; call the tool again/)
  t.equal(service.asked.length, 0)
})
