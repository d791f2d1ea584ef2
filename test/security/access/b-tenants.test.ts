// With TENANT_CLAIM, one subject of two tenants is two callers: what belongs to it in one does not
// exist in the other, through every door, in memory and in Redis.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, { defineTool, file, type ServerOptions, Type } from '../../../src/index.ts'
import { type App, call, callTool, listen, listening, stream } from '../../support/app.ts'
import { keysFile, testKey } from '../../support/auth/api-keys.ts'
import { bearer, form, guarded, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { accept } from '../../support/input/rounds.ts'
import { key, orders, text } from '../../support/orders.ts'
import { plain } from '../../support/plain.ts'
import { ELICITS, isUnknown } from '../../support/security/hosted.ts'
import { until } from '../../support/security/hostile.ts'
import { BATCHES, callOf, handshake, NEWEST, openSession } from '../../support/security/sessions.ts'
import { NO_REDIS, redisServer } from '../../support/servers/redis-server.ts'
import { ABLE_AND_TASKS, cancel, get, held, job, taskFrom, UNKNOWN_ID, update } from '../../support/tasks/modern.ts'

const alice = (tenant?: unknown, over: object = {}) => bearer('read', { sub: 'alice', tenant, ...over })
const ALICE = alice('acme')
/** The same issuer and subject, in another tenant, in none, or in one that looks alike. */
const ELSEWHERE: Readonly<Record<string, Record<string, string>>> = {
  globex: alice('globex'),
  'no tenant': alice(),
  'an empty name': alice(''),
  'other letters': alice('Acme'),
  'a list': alice(['acme']),
  'a quoted name': alice('"acme"'),
}
const LARGE = Buffer.alloc(100_000, 1)

const wipe = defineTool({
  name: 'wipe',
  inputSchema: Type.Object({}),
  async handler(_args, ctx) {
    await ctx.confirm('Wipe it?')
    return 'wiped'
  },
})
const asks = defineTool({
  name: 'asks',
  async handler(_args, ctx) {
    const { content } = await ctx.elicit('word', { message: 'The word?', requestedSchema: form })
    return JSON.stringify(content)
  },
})
const gives = defineTool({ name: 'gives', handler: () => file(LARGE, { name: 'a.bin' }) })
const free = defineTool({ name: 'free', handler: () => 'free' })

const TENANTS = {
  jwt: { claims: { tenant: 'tenant' } },
  tenantClaim: 'tenant',
  plainHttp: true,
  httpSse: true,
  tasks: { inlineMs: 0 },
  drainMs: 20,
  resources: [],
  prompts: [],
} satisfies ServerOptions
const ACCESS = { jwt: { secret: SECRET }, publicUrl: RESOURCE, rateLimit: { max: 1_000_000 } }

type Where = Pick<ServerOptions, 'redis'>

const PLACES: readonly [name: string, skip: string | false, place: (t: Test) => Promise<Where>][] = [
  ['memory', false, async () => ({})],
  ['Redis', NO_REDIS, async t => ({ redis: { url: (await redisServer(t)).url } })],
]

for (const [name, skip, place] of PLACES) {
  const inPlace = (title: string, body: (t: Test, build: (more: ServerOptions) => Promise<App>) => Promise<void>) =>
    t.test(`B42, in ${name}: ${title}`, { skip }, async t => {
      const where = await place(t)
      await body(t, more =>
        guarded(t, {
          ...TENANTS,
          ...where,
          ...more,
          jwt: { ...TENANTS.jwt, ...more.jwt },
          tasks: { ...TENANTS.tasks, ...more.tasks },
          redis: { ...where.redis, ...more.redis },
        }),
      )
    })

  inPlace('a session, in each revision', async (t, build) => {
    const app = await build({ tools: [free] })
    for (const revision of [NEWEST, BATCHES]) {
      const session = await openSession(app, revision, { headers: ALICE })
      const unknown = await inject(app).send({
        session: 'x'.repeat(session.length),
        body: callOf('free'),
        headers: ALICE,
      })

      for (const [who, headers] of Object.entries(ELSEWHERE)) {
        t.equal((await inject(app).send({ session, body: callOf('free'), headers })).text, unknown.text, who)
        const listens = { ...headers, accept: 'text/event-stream' }
        isUnknown(t, await inject(app).send({ session, method: 'GET', headers: listens }), who)
        isUnknown(t, await inject(app).send({ session, method: 'DELETE', headers }), who)
      }
      t.equal(
        (await inject(app).send({ session, body: callOf('free'), headers: alice('acme', { jti: 'new' }) })).status,
        200,
      )
    }
  })

  inPlace('a task, in each era and over plain HTTP', async (t, build) => {
    const { tool, seen, release } = held()
    const app = await build({ tools: [tool] })
    const options = (headers: Record<string, string>) => ({ headers, capabilities: ABLE_AND_TASKS })
    const taskId = await taskFrom(app, 'held', {}, options(ALICE))
    const listed = async (headers: Record<string, string>) => {
      const session = await openSession(app, NEWEST, { headers })
      const ask = async (method: string, params: object) =>
        (await inject(app).send({ session, headers, body: { jsonrpc: '2.0', id: 1, method, params } })).message!
      return { session, ask, tasks: (await ask('tasks/list', {})).result.tasks }
    }

    for (const [who, headers] of Object.entries(ELSEWHERE)) {
      const unknown = (await get(app, UNKNOWN_ID, options(headers))).error
      t.strictSame((await get(app, taskId, options(headers))).error, unknown, who)
      t.strictSame((await update(app, { taskId, inputResponses: {} }, options(headers))).error, unknown, who)
      t.strictSame((await cancel(app, taskId, options(headers))).error, unknown, who)
      const { ask, tasks } = await listed(headers)
      t.strictSame(tasks, [], who)
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        t.equal((await ask(method, { taskId })).error?.code, -32602, `${method} ${who}`)
      for (const verb of ['GET', 'DELETE'] as const)
        t.equal((await plain(app, `/tools/tasks/${taskId}`, { method: verb, headers })).status, 404, who)
      const answers = { json: { answers: {} }, headers }
      t.equal((await plain(app, `/tools/tasks/${taskId}/answers`, answers)).status, 404, who)
    }
    t.match(await listed(ALICE), { tasks: [{ taskId }] })
    t.equal((await plain(app, `/tools/tasks/${taskId}`, { headers: ALICE })).status, 202)
    t.strictSame(seen.aborted, [])
    release()
  })

  inPlace('what a task leaves behind belongs to its tenant, too', async (t, build) => {
    const app = await build({ tools: [job('report', () => file(LARGE, { name: 'a.bin' }))] })
    const options = { headers: ALICE, capabilities: ABLE_AND_TASKS }
    const taskId = await taskFrom(app, 'report', {}, options)
    let result: { content: { uri: string }[] } | undefined
    await until(async () => (result = (await get(app, taskId, options)).result.result) !== undefined, 'it has ended')
    const read = (headers: Record<string, string>) =>
      call(app, 'resources/read', { uri: result!.content[0]!.uri }, { headers })

    for (const [who, headers] of Object.entries(ELSEWHERE)) t.equal((await read(headers)).error?.code, -32602, who)
    t.equal((await read(ALICE)).error, undefined)
  })

  inPlace('a file, by its link and over plain HTTP', async (t, build) => {
    const app = await build({ tools: [gives] })
    const { uri } = (await callTool(app, 'gives', {}, { headers: ALICE })).content[0]
    const path = `/tools/files/${uri.replace('toolrack://files/', '')}`

    for (const [who, headers] of Object.entries(ELSEWHERE)) {
      t.equal((await call(app, 'resources/read', { uri }, { headers })).error.code, -32602, who)
      t.equal((await plain(app, path, { headers })).status, 404, who)
    }
    t.equal((await plain(app, path, { headers: ALICE })).bytes.length, LARGE.length)
    t.equal((await call(app, 'resources/read', { uri }, { headers: ALICE })).error, undefined)
  })

  inPlace('a confirmation, a requestState and a cursor', async (t, build) => {
    const app = await build({ tools: [wipe, asks, free], pageSize: 1 })
    const refused = await callTool(app, 'wipe', {}, { headers: ALICE })
    const [, confirmation] = /"confirmation":"([^"]+)"/.exec(refused.content[0].text)!
    const asking = (headers: Record<string, string>, more: object = {}) =>
      call(app, 'tools/call', { name: 'asks', arguments: {}, ...more }, { headers, capabilities: ELICITS })
    const { requestState } = (await asking(ALICE)).result
    const answered = { requestState, inputResponses: { word: accept({ word: 'x' }) } }
    const { nextCursor: cursor } = (await call(app, 'tools/list', {}, { headers: ALICE })).result

    for (const [who, headers] of Object.entries(ELSEWHERE)) {
      t.match(await callTool(app, 'wipe', { confirmation }, { headers }), { isError: true }, who)
      t.match((await asking(headers, answered)).error, { message: /it was given to someone else/ }, who)
      t.match((await call(app, 'tools/list', { cursor }, { headers })).error, { message: /^Invalid cursor/ }, who)
    }
    t.match(await callTool(app, 'wipe', { confirmation }, { headers: ALICE }), text('wiped'))
    t.match((await asking(ALICE, answered)).result, text('{"word":"x"}'))
    t.equal((await call(app, 'tools/list', { cursor }, { headers: ALICE })).error, undefined)
  })

  inPlace('an idempotency key', async (t, build) => {
    const { tool, acts } = orders()
    const app = await build({ tools: [tool] })
    const all = [ALICE, ...Object.values(ELSEWHERE)]

    for (const headers of [...all, ...all]) await callTool(app, 'order', key('1'), { headers })

    t.equal(acts.length, all.length)
    t.match(await callTool(app, 'order', key('1'), { headers: ALICE }), text('order 1'))
  })

  inPlace('a stream by Last-Event-ID, its question, and its cancellation', async (t, build) => {
    const app = await build({ tools: [asks, free] })
    const port = await listen(app)
    const opened = await socket(port, t).send({ body: handshake(undefined, ELICITS), headers: ALICE })
    const session = String(opened.headers['mcp-session-id'])
    const asked = await socket(port, t).stream({ session, body: callOf('asks'), headers: ALICE })
    const question = await asked.find(({ method }) => method === 'elicitation/create')
    const lastEventId = asked.events.findLast(({ id }) => id !== undefined)!.id!
    const answer = (word: string) => ({ jsonrpc: '2.0', id: question.id, result: accept({ word }) })
    const cancels = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }

    for (const [who, headers] of Object.entries(ELSEWHERE)) {
      const back = { ...headers, 'last-event-id': lastEventId }
      isUnknown(t, await inject(app).send({ session, body: answer('stolen'), headers }), `${who} answers`)
      isUnknown(t, await inject(app).send({ session, body: cancels, headers }), `${who} cancels`)
      isUnknown(
        t,
        await inject(app).send({ session, method: 'GET', headers: { ...back, accept: 'text/event-stream' } }),
        who,
      )
      const own = await socket(port, t).send({ body: handshake(), headers })
      const begun = await socket(port, t).stream({ session: String(own.headers['mcp-session-id']), headers: back })
      await until(() => begun.events.length > 0, 'a stream began')
      t.strictSame(begun.messages, [], `${who} comes back to a stream of acme`)
    }
    t.equal((await inject(app).send({ session, body: answer('hers'), headers: ALICE })).status, 202)
    t.match((await asked.find(({ id }) => id === 1)).result, text('{"word":"hers"}'))
  })

  inPlace('HTTP+SSE: its address, and the way back to it', async (t, build) => {
    const app = await build({ tools: [free] })
    const port = await listen(app)
    const news = await socket(port, t).stream({ path: '/sse', headers: ALICE })
    await until(() => news.events.length > 0, 'the endpoint was named')
    const url = news.events[0]!.data
    const send = (headers: Record<string, string>, body: object) => inject(app).send({ path: url, headers, body })

    for (const [who, headers] of Object.entries(ELSEWHERE)) isUnknown(t, await send(headers, handshake()), who)
    t.equal((await send(ALICE, handshake('2024-11-05'))).status, 202)
    await news.find(({ id }) => id === 'hello')
    const lastEventId = news.events.findLast(({ id }) => id !== undefined)!.id!
    for (const [who, headers] of Object.entries(ELSEWHERE)) {
      isUnknown(t, await send(headers, callOf('free')), who)
      const thief = await socket(port, t).stream({
        path: '/sse',
        headers: { ...headers, 'last-event-id': lastEventId },
      })
      await until(() => thief.events.length > 0, 'an endpoint was named')
      t.not(thief.events[0]!.data, url, who)
      t.notOk(
        thief.messages.some(({ id }) => id !== undefined),
        who,
      )
    }
    t.equal((await send(ALICE, callOf('free', {}, 'hers'))).status, 202)
    t.match((await news.find(({ id }) => id === 'hers')).result, text('free'))
  })
}

t.test('B42: the sealed id of a session of a former process', async t => {
  const options = { ...TENANTS, tools: [free], stateSecret: 'the state secret of both processes, long enough' }
  const session = await openSession(await guarded(t, options), undefined, { headers: ALICE })
  const app = await guarded(t, options)

  for (const [who, headers] of Object.entries(ELSEWHERE))
    isUnknown(t, await inject(app).send({ session, body: callOf('free'), headers }), who)
  t.equal((await inject(app).send({ session, body: callOf('free'), headers: ALICE })).status, 200)
})

t.test('B42: subscriptions to tasks of another tenant are left out', async t => {
  const { tool, release } = held()
  const { app, url } = await listening(t, {
    ...ACCESS,
    ...TENANTS,
    tools: [tool],
    jwt: { ...ACCESS.jwt, ...TENANTS.jwt },
  })
  const taskId = await taskFrom(app, 'held', {}, { headers: ALICE, capabilities: ABLE_AND_TASKS })
  const watched = async (headers: Record<string, string>) => {
    const options = { headers, capabilities: ABLE_AND_TASKS }
    const listener = await stream(t, url, 'subscriptions/listen', { notifications: { taskIds: [taskId] } }, options)
    return (await listener.next(0)).params.notifications.taskIds
  }

  for (const [who, headers] of Object.entries(ELSEWHERE)) t.strictSame(await watched(headers), [], who)
  t.strictSame(await watched(ALICE), [taskId])
  release()
})

t.test('B42: get_task_result and cancel_task, for clients without tasks', async t => {
  const { tool, seen, release } = held('held', { task: 'required' })
  const app = await guarded(t, { ...TENANTS, tools: [tool], tasks: { ...TENANTS.tasks, fallbackTools: true } })
  const told = await callTool(app, 'held', {}, { headers: ALICE })
  const [, taskId] = /"taskId":"([^"]+)"/.exec(told.content[0].text)!

  for (const [who, headers] of Object.entries(ELSEWHERE))
    for (const name of ['get_task_result', 'cancel_task'])
      t.match(await callTool(app, name, { taskId }, { headers }), text(/^There is no such task/), `${name} ${who}`)
  t.strictSame(seen.aborted, [])
  release()
  t.match(await callTool(app, 'get_task_result', { taskId }, { headers: ALICE }), text('done'))
})

t.test('B42: two API keys of one subject, in two tenants', async t => {
  const [acme, globex] = ['acme', 'globex'].map(tenant => testKey({ claims: { tenant } }))
  const { path: apiKeysFile } = keysFile(t, acme!, globex!)
  const app = await guarded(t, { ...TENANTS, tools: [gives, free], apiKeysFile })
  const session = await openSession(app, undefined, { headers: acme!.headers })
  const { uri } = (await callTool(app, 'gives', {}, { headers: acme!.headers })).content[0]

  isUnknown(t, await inject(app).send({ session, body: callOf('free'), headers: globex!.headers }), 'the session')
  t.equal((await call(app, 'resources/read', { uri }, { headers: globex!.headers })).error.code, -32602)
  t.equal((await call(app, 'resources/read', { uri }, { headers: acme!.headers })).error, undefined)
})

t.test('B42: in an app that verifies callers itself', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async request => {
    const tenant = request.headers['x-tenant']
    request.caller = { subject: 'alice', scopes: [], claims: typeof tenant === 'string' ? { tenant } : {} }
  })
  await app.register(toolrack, { tools: [free], tenantClaim: 'tenant' })
  const session = await openSession(app, undefined, { headers: { 'x-tenant': 'acme' } })

  for (const headers of [{ 'x-tenant': 'globex' }, {}] as Record<string, string>[])
    isUnknown(t, await inject(app).send({ session, body: callOf('free'), headers }), JSON.stringify(headers))
  t.equal((await inject(app).send({ session, body: callOf('free'), headers: { 'x-tenant': 'acme' } })).status, 200)
})

t.test('B42: without TENANT_CLAIM one subject is one caller, whatever its claims', async t => {
  const app = await guarded(t, { ...TENANTS, tenantClaim: undefined, tools: [gives, free] })
  const session = await openSession(app, undefined, { headers: ALICE })
  const { uri } = (await callTool(app, 'gives', {}, { headers: ALICE })).content[0]

  for (const [who, headers] of Object.entries(ELSEWHERE)) {
    t.equal((await inject(app).send({ session, body: callOf('free'), headers })).status, 200, who)
    t.equal((await call(app, 'resources/read', { uri }, { headers })).error, undefined, who)
  }
})

t.test("B42: what Redis kept before there were tenants is nobody's", { skip: NO_REDIS }, async t => {
  const where = { ...TENANTS, tools: [gives, free], redis: { url: (await redisServer(t)).url } }
  const before = await guarded(t, { ...where, tenantClaim: undefined })
  const session = await openSession(before, undefined, { headers: ALICE })
  const { uri } = (await callTool(before, 'gives', {}, { headers: ALICE })).content[0]
  const app = await guarded(t, where)

  for (const [who, headers] of Object.entries({ ...ELSEWHERE, acme: ALICE })) {
    isUnknown(t, await inject(app).send({ session, body: callOf('free'), headers }), who)
    t.equal((await call(app, 'resources/read', { uri }, { headers })).error.code, -32602, who)
  }
  t.equal((await inject(before).send({ session, body: callOf('free'), headers: ALICE })).status, 200)
})
