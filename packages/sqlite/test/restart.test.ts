// What a client finds again when the server has ended and another one has the file.
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { createServer, defineResource, defineTool, file, type ServerOptions } from '../../../src/index.ts'
import { call, callTool, listening } from '../../../test/support/app.ts'
import { AppClient, open } from '../../../test/support/client/app-client.ts'
import { textOf } from '../../../test/support/client/reply.ts'
import { accept, ask, form } from '../../../test/support/input/rounds.ts'
import { key, orders, text } from '../../../test/support/orders.ts'
import { tool } from '../../../test/support/steered-tools.ts'
import * as modern from '../../../test/support/tasks/modern.ts'
import { formatError } from '../../cli/src/errors.ts'
import { aPath } from './a-file.ts'

/** A server with this file, and then others after it. */
async function server(t: Test, options: ServerOptions) {
  const own = { state: `sqlite:${aPath(t)}`, drainMs: 50, ...options }
  let { app } = await listening(t, own)
  return {
    get app() {
      return app
    },
    async restart(more: ServerOptions = {}) {
      await app.close()
      app = (await listening(t, { ...own, ...more })).app
      return app
    },
  }
}

t.test('a session goes on after a restart, with what its client has set', async t => {
  const loud = tool('loud', ({ log }) => {
    log.info({}, 'heard')
    return 'said'
  })
  const rack = await server(t, { tools: [loud] })
  const client = await open(t, rack.app)
  await client.call('logging/setLevel', { level: 'info' })

  const after = new AppClient(t, await rack.restart(), client)

  const reply = await after.callTool('loud')
  t.equal(textOf(reply), 'said')
  t.match(reply.messages[0], { method: 'notifications/message', params: { level: 'info' } })
  await after.end()
  t.equal((await after.call('ping')).status, 404)
  t.equal((await new AppClient(t, await rack.restart(), client).call('ping')).status, 404)
})

t.test('what a session sets counts for the stream that it has open', async t => {
  const page = defineResource({ uri: 'memo://page', name: 'page', handler: () => 'text' })
  const rack = await server(t, { resources: [page] })
  const client = await open(t, rack.app)
  const stream = await client.listen()
  await client.call('resources/subscribe', { uri: 'memo://page' })

  rack.app.toolrack.resourceUpdated('memo://page')

  t.match(await stream.next(0), { method: 'notifications/resources/updated', params: { uri: 'memo://page' } })
})

t.test('the rest of a stream comes after a restart; a call that ended with the process is told so', async t => {
  const says = tool('says', async ({ progress, signal }) => {
    progress(1)
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const rack = await server(t, { tools: [says] })
  const client = await open(t, rack.app)
  const stream = await client.postTool('says', {}, { _meta: { progressToken: 1 } })
  const first = await stream.next(0)
  t.match(first, { params: { progress: 1 } })
  const { id } = stream.events[0]!
  await rack.restart()

  const again = await new AppClient(t, rack.app, client).listen(id)

  const last = await again.last()
  t.ok(last.error !== undefined || last.result?.['isError'], JSON.stringify(last))
})

t.test('an idempotent call acts once, also if its second time is after a restart', async t => {
  const { tool, acts } = orders()
  const rack = await server(t, { tools: [tool] })

  t.match(await callTool(rack.app, 'order', key('1')), text('order 1'))
  await rack.restart()
  t.match(await callTool(rack.app, 'order', key('1')), text('order 1'))

  t.equal(acts.length, 1)
})

t.test('a task that has ended is found after a restart, with its result', async t => {
  const rack = await server(t, { tools: [modern.job('job', () => 'done')], tasks: { inlineMs: 0 } })
  const id = await modern.taskFrom(rack.app, 'job')
  await modern.whenEnded(rack.app, id)

  const task = await modern.whenEnded(await rack.restart(), id)

  t.equal(modern.textOf(task), 'done')
})

t.test('a task that runs when the server ends runs again if it may, and is told as interrupted if not', async t => {
  let runs = 0
  const job = (name: string, isIdempotent: boolean) =>
    modern.job(
      name,
      async ({ signal }) => {
        if (++runs > 2) return 'done'
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      { annotations: { idempotentHint: isIdempotent } },
    )
  const rack = await server(t, { tools: [job('again', true), job('once', false)], tasks: { inlineMs: 0 } })
  const again = await modern.taskFrom(rack.app, 'again')
  const once = await modern.taskFrom(rack.app, 'once')
  while (runs < 2) await modern.nextTurn()

  await rack.restart()

  t.equal(modern.textOf(await modern.whenEnded(rack.app, again)), 'done')
  t.match(await modern.whenEnded(rack.app, once), { status: 'failed', error: { message: /interrupted/ } })
  t.equal(runs, 3)
})

t.test('a task that waits for an answer takes it after a restart', async t => {
  const job = modern.job('asks', async ctx => {
    await modern.nextTurn()
    const { content } = await ctx.elicit('name', form('name'))
    return `Hello ${content?.['name']}`
  })
  const rack = await server(t, { tools: [job], tasks: { inlineMs: 0 } })
  const taskId = await modern.taskFrom(rack.app, 'asks')
  await modern.whenAsking(rack.app, taskId)

  await rack.restart()
  await modern.update(rack.app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })

  t.equal(modern.textOf(await modern.whenEnded(rack.app, taskId)), 'Hello Ada')
})

t.test('a requestState opens after a restart without STATE_SECRET, and is used once', async t => {
  const asker = defineTool({
    name: 'asker',
    inputSchema: { type: 'object' },
    async handler(_args, ctx) {
      const { content } = await ctx.elicit('name', form('name'))
      return `Hello ${content?.['name']}`
    },
  })
  const rack = await server(t, { tools: [asker] })
  const { requestState } = (await ask(rack.app)).result
  const answered = { inputResponses: { name: accept({ name: 'Ada' }) }, requestState }

  await rack.restart()
  t.match((await ask(rack.app, answered)).result, text('Hello Ada'))
  await rack.restart()

  t.match(await ask(rack.app, answered), { error: { code: -32602 } })
})

t.test('a large file is read by its link after a restart', async t => {
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => n % 251))
  const give = defineTool({ name: 'give', handler: () => file(bytes, { name: 'a.bin' }) })
  const rack = await server(t, { tools: [give] })
  const { content } = await callTool(rack.app, 'give')

  const { result } = await call(await rack.restart(), 'resources/read', { uri: content[0].uri })

  t.ok(Buffer.from(result.contents[0].blob, 'base64').equals(bytes))
})

t.test('/ready and the metrics tell of the file', async t => {
  const rack = await server(t, { tools: [modern.job('job', () => 'done')], tasks: { inlineMs: 0 } })
  await open(t, rack.app)
  await modern.whenEnded(rack.app, await modern.taskFrom(rack.app, 'job'))

  t.strictSame((await rack.app.inject('/ready')).json(), { status: 'ready' })
  const { body } = await rack.app.inject({
    url: '/metrics',
    remoteAddress: '127.0.0.1',
    headers: { host: 'localhost' },
  })
  t.match(body, /sessions[^\n]* 1\n/)
  t.match(body, /tasks[^\n]*completed[^\n]* 1\n/)
})

t.test('a start that the file refuses is one line for the operator, and nothing is left open', async t => {
  const path = aPath(t)
  writeFileSync(path, 'garbage '.repeat(1000))

  const error = await createServer({ state: `sqlite:${path}`, logLevel: 'silent' }).catch(error => error)

  t.equal(formatError(error).split('\n').length, 1)
  t.match(formatError(error), new RegExp(`^${path} is damaged, or not a database`))
  writeFileSync(path, '')
  const { app } = await listening(t, { state: `sqlite:${path}` })
  t.strictSame((await app.inject('/ready')).json(), { status: 'ready' })
})

t.test('the state is in one place', async t => {
  const options = { state: `sqlite:${aPath(t)}`, redis: { url: 'redis://127.0.0.1:6379' } }

  await t.rejects(createServer(options), { name: 'ConfigError', message: /^state: expected no redis\.url beside it/ })
})
