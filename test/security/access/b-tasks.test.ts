import t from 'tap'
import { MemoryTasks } from '../../../packages/memory/src/tasks.ts'
import type { TaskQueue } from '../../../src/state/task-queue.ts'
import { TaskService } from '../../../src/tasks/tasks.ts'
import { type App, call, listening, request, stream } from '../../support/app.ts'
import { ALICE, bearer, form, guarded, OTHERS, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { fakeExchange, fakeTool } from '../../support/fakes.ts'
import { accept } from '../../support/input/rounds.ts'
import { until } from '../../support/security/hostile.ts'
import {
  ABLE_AND_TASKS,
  cancel,
  get,
  held,
  job,
  nextTurn,
  TASKS,
  taskFrom,
  textOf,
  UNKNOWN_ID,
  update,
  whenAsking,
  whenEnded,
} from '../../support/tasks/modern.ts'

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const
const STRANGERS = {
  ...OTHERS,
  'alice with all scopes of another': bearer('read write admin', { sub: 'Alice' }),
}

const asks = job(
  'asks',
  async ({ elicit, caller }) => {
    await nextTurn()
    const { content } = await elicit('word', { message: 'The word?', requestedSchema: form })
    return `${caller?.subject} ${content?.['word']}`
  },
  { scopes: ['read'] },
)
const settings = { tasks: { inlineMs: 0 }, drainMs: 20, resources: [], prompts: [] }
const options = (headers: Record<string, string>) => ({ headers, capabilities: ABLE_AND_TASKS })

t.test('B21: who has lost the scope of the tool is refused at each door of its task', async t => {
  const app = await guarded(t, { ...settings, tools: [asks] })
  const taskId = await taskFrom(app, 'asks', {}, options(ALICE))
  await whenAsking(app, taskId, options(ALICE))
  const lesser = bearer('write', { sub: 'alice' })

  for (const method of METHODS) {
    const params = { taskId, inputResponses: { word: accept({ word: 'stolen' }) } }
    const { status, error, headers } = await call(app, method, params, options(lesser))
    t.match({ status, error }, { status: 403, error: { code: 40300 } }, method)
    t.match(headers['www-authenticate'], /scope="read"$/, method)
  }

  t.equal((await get(app, taskId, options(ALICE))).result.status, 'input_required', 'and nothing was done')
  const again = bearer('read write', { sub: 'alice' })
  await update(app, { taskId, inputResponses: { word: accept({ word: 'hers' }) } }, options(again))
  t.equal(textOf(await whenEnded(app, taskId, options(again))), 'alice hers')
})

t.test('B21: a call without the scope makes no task', async t => {
  const { tool, seen } = held('held', { scopes: ['read'] })
  const app = await guarded(t, { ...settings, tools: [tool] })
  const params = { name: 'held', arguments: {} }

  t.equal((await call(app, 'tools/call', params, options(bearer('write')))).status, 403)
  t.equal((await call(app, 'tools/call', params, { capabilities: TASKS })).status, 401)

  t.equal(seen.begun, 0)
})

t.test(
  'B21, B24: subscriptions/listen: what is not hers, or no longer hers to see, is left out and never told',
  async t => {
    const { tool, release } = held('held', { scopes: ['read'] })
    const access = { jwt: { secret: SECRET }, publicUrl: RESOURCE, rateLimit: { max: 1_000_000 } }
    const { app, url } = await listening(t, { ...settings, ...access, tools: [tool] })
    const taskId = await taskFrom(app, 'held', {}, options(ALICE))
    const listen = (headers: Record<string, string>, id: string) =>
      stream(
        t,
        url,
        'subscriptions/listen',
        { notifications: { taskIds: [taskId, UNKNOWN_ID] } },
        { ...options(headers), id },
      )
    const hers = await listen(ALICE, 'hers')
    const strangers = [await listen(bearer('write', { sub: 'alice' }), 'lesser')]
    for (const [who, headers] of Object.entries(STRANGERS)) strangers.push(await listen(headers, who))

    t.strictSame((await hers.next(0)).params.notifications.taskIds, [taskId])
    for (const each of strangers) t.strictSame((await each.next(0)).params.notifications.taskIds, [])
    release()
    await until(() => hers.messages.at(-1)!.params.status === 'completed', 'she was told')

    for (const each of strangers) t.equal(each.messages.length, 1)
  },
)

/** All of an answer that a client can see, but for what differs between any two. */
async function seenBy(app: App, method: string, taskId: string, headers: Record<string, string>) {
  const { message, headers: all } = request(
    method,
    { taskId, inputResponses: { word: accept({ word: 'stolen' }) } },
    { ...options(headers), id: 1 },
  )
  const {
    statusCode,
    headers: got,
    body,
  } = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: all,
    payload: JSON.stringify(message),
  })
  const same = Object.entries(got).filter(([name]) => !/^(date|x-request-id|x-ratelimit|ratelimit)/.test(name))
  return { statusCode, headers: Object.fromEntries(same), body }
}

t.test('B24: with a task of somebody else all is, byte for byte, as with an id that nobody has', async t => {
  const app = await guarded(t, { ...settings, tools: [asks] })
  const taskId = await taskFrom(app, 'asks', {}, options(ALICE))
  const before = await whenAsking(app, taskId, options(ALICE))

  for (const [who, headers] of Object.entries(STRANGERS)) {
    for (const method of METHODS) {
      const theirs = await seenBy(app, method, taskId, headers)
      const unknown = await seenBy(app, method, UNKNOWN_ID, headers)
      t.strictSame(theirs, unknown, `${who} ${method}`)
      t.match(theirs.body, /"code":-32602,"message":"Task not found: /)
    }
    const lesser = { authorization: bearer('write', { sub: who, iss: 'https://third.example' }).authorization }
    t.match((await seenBy(app, 'tasks/get', taskId, lesser)).body, /Task not found/, 'nor does a scope tell')
  }

  t.strictSame((await get(app, taskId, options(ALICE))).result, before)
  await cancel(app, taskId, options(ALICE))
})

t.test('B24: a token is needed, whoever knows the id', async t => {
  const app = await guarded(t, { ...settings, tools: [asks] })
  const taskId = await taskFrom(app, 'asks', {}, options(ALICE))
  await whenAsking(app, taskId, options(ALICE))

  for (const method of METHODS) {
    const { status } = await call(app, method, { taskId, inputResponses: {} }, { capabilities: TASKS })
    t.equal(status, 401, method)
  }

  t.equal((await get(app, taskId, options(ALICE))).result.status, 'input_required')
})

t.test('B24: another token of the same subject sees it', async t => {
  const app = await guarded(t, { ...settings, tools: [asks] })
  const taskId = await taskFrom(app, 'asks', {}, options(ALICE))

  const later = bearer('read', { sub: 'alice', jti: 'another' })

  t.equal((await get(app, taskId, options(later))).result.taskId, taskId)
})

const unusedQueue = { add() {}, onTask() {} } as unknown as TaskQueue

t.test('B24: an id has at least 128 random bits: of 10,000 none comes twice, and no bit is fixed', async t => {
  const store = new MemoryTasks()
  t.teardown(() => store.close())
  const tasks = new TaskService(store, unusedQueue, { ttlMs: 60_000, inlineMs: 0 })
  const opening = { tool: fakeTool(), owner: undefined, answers: {}, isHandedOut: true }
  const ids: string[] = []

  for (let n = 0; n < 10_000; n++) {
    const exchange = fakeExchange({ clientKey: `client ${n % 10}` })
    ids.push((await tasks.open({ ...opening, exchange })).id)
  }

  t.equal(new Set(ids).size, 10_000)
  t.ok(ids.every(id => /^[A-Za-z0-9_-]{22,}$/.test(id)))
  const bytes = ids.map(id => Buffer.from(id, 'base64url'))
  const length = bytes[0]!.length
  t.ok(length * 8 >= 128, `${length * 8} bits`)
  for (let bit = 0; bit < length * 8; bit++) {
    const set = bytes.filter(each => (each[bit >> 3]! >> (bit & 7)) & 1).length
    // Ten standard deviations of a fair coin.
    if (Math.abs(set - 5000) > 500) t.fail(`bit ${bit} is set ${set} times of 10,000`)
  }
})
