// Extension io.modelcontextprotocol/tasks: "Capability Negotiation", "Supported Methods" and "Protocol Errors".
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { call, stream } from '../../support/app.ts'
import { ABLE } from '../../support/input/rounds.ts'
import {
  cancel,
  EXTENSION,
  get,
  held,
  job,
  rack,
  start,
  TASKS,
  taskFrom,
  UNDECLARED,
  UNKNOWN_ID,
} from '../../support/tasks/modern.ts'

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const
const plain = defineTool({ name: 'plain', handler: () => 'plain' })
const quick = job('quick', () => 'quick')

t.test('server/discover: the extension is there, without settings, where a tool can be a task', async t => {
  const app = await rack(t, [quick])

  const { capabilities } = (await call(app, 'server/discover')).result

  t.strictSame(capabilities.extensions, { [EXTENSION]: {} })
  t.equal('tasks' in capabilities, false, 'what 2025-11-25 called it')
})

t.test('server/discover: no tool can be a task, so there is no extension, and its methods are unknown', async t => {
  const app = await rack(t, [plain])

  t.equal('extensions' in (await call(app, 'server/discover')).result.capabilities, false)
  for (const method of METHODS) {
    const { status, error } = await call(app, method, { taskId: UNKNOWN_ID }, { capabilities: TASKS })
    t.match({ status, error }, { status: 404, error: { code: -32601 } }, method)
  }
})

t.test('server/discover: a tool that can be a task and comes later brings the extension', async t => {
  const app = await rack(t, [plain])

  app.toolrack.add(quick)

  t.strictSame((await call(app, 'server/discover')).result.capabilities.extensions, { [EXTENSION]: {} })
  t.equal((await get(app, UNKNOWN_ID)).error.code, -32602)
})

t.test('tools/list: clients of this revision need not know which tools make tasks', async t => {
  const app = await rack(t, [quick])

  t.strictSame(Object.keys((await call(app, 'tools/list')).result.tools[0]).sort(), ['inputSchema', 'name'])
})

t.test('tasks/*: without the extension -32021 comes before the lookup and before the params', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  for (const method of METHODS) {
    for (const known of [taskId, 'gate-test']) {
      for (const capabilities of [{}, ABLE, { extensions: {} }, { extensions: { 'com.example/tasks': {} } }]) {
        const { status, error } = await call(app, method, { taskId: known }, { capabilities })
        t.match({ status, error }, { status: 400, error: UNDECLARED }, `${method} ${known}`)
      }
    }
  }
  t.match((await call(app, 'tasks/update', { taskId, inputResponses: null })).error, UNDECLARED)
})

t.test('tasks/*: what counts is what each request declares', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  t.equal((await get(app, taskId)).result.status, 'working')
  t.match((await get(app, taskId, { capabilities: {} })).error, UNDECLARED)
  t.equal((await get(app, taskId, { capabilities: TASKS })).result.status, 'working')
  const settings = { extensions: { [EXTENSION]: { any: 'setting' } } }
  t.equal((await get(app, taskId, { capabilities: settings })).result.status, 'working')
})

t.test('tasks/*: headers that do not agree come first', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  for (const method of METHODS) {
    for (const headers of [{ 'mcp-name': undefined }, { 'mcp-name': 'another' }, { 'mcp-method': 'tools/call' }]) {
      for (const capabilities of [{}, TASKS]) {
        const { status, error } = await call(app, method, { taskId, inputResponses: {} }, { headers, capabilities })
        t.match({ status, error }, { status: 400, error: { code: -32020 } }, `${method} ${JSON.stringify(headers)}`)
      }
    }
  }
  t.equal((await start(app, 'held', {}, { headers: { 'mcp-method': 'tasks/get' } })).error.code, -32020)
  t.equal((await get(app, taskId)).result.status, 'working', 'and nothing was cancelled')
})

t.test('tasks/*: Mcp-Name may be in Base64, or padded', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  for (const name of [`=?base64?${Buffer.from(taskId).toString('base64')}?=`, ` ${taskId} `])
    t.equal((await get(app, taskId, { headers: { 'mcp-name': name } })).result.taskId, taskId, name)
})

t.test('tasks/*: an id that is unknown, empty, or nearly one is -32602, with HTTP 200', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  for (const method of METHODS) {
    for (const unknown of [UNKNOWN_ID, 'nope', taskId.slice(0, -1), `${taskId}x`, taskId.toLowerCase(), '__proto__']) {
      const params = { taskId: unknown, inputResponses: {} }
      const { status, error } = await call(app, method, params, { capabilities: TASKS })
      t.match({ status, error }, { status: 200, error: { code: -32602, message: /^Task not found: / } }, unknown)
    }
  }
})

t.test('tasks/*: params that are wrong are -32602 with HTTP 400', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  for (const inputResponses of [undefined, null, [], 'x', 7]) {
    const { status, error } = await call(app, 'tasks/update', { taskId, inputResponses }, { capabilities: TASKS })
    t.match({ status, error }, { status: 400, error: { code: -32602, message: /inputResponses/ } })
  }
})

t.test('tasks/result and tasks/list are -32601, whoever asks, with and without Mcp-Name', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  const taskId = await taskFrom(app, 'held')

  for (const method of ['tasks/result', 'tasks/list', 'tasks/delete', 'tasks/']) {
    for (const headers of [{}, { 'mcp-name': taskId }]) {
      const { status, error } = await call(app, method, { taskId }, { capabilities: TASKS, headers })
      t.match({ status, error }, { status: 404, error: { code: -32601 } }, method)
    }
  }
})

t.test('subscriptions/listen: task ids without the extension are -32021, and no stream', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])
  await app.listen({ host: '127.0.0.1', port: 0 })
  const taskId = await taskFrom(app, 'held')
  const notifications = { taskIds: [taskId], toolsListChanged: true }

  for (const taskIds of [[taskId], [UNKNOWN_ID], []]) {
    const { status, error } = await call(app, 'subscriptions/listen', { notifications: { taskIds } })
    t.match({ status, error }, { status: 400, error: UNDECLARED })
  }
  const { port } = app.server.address() as { port: number }
  const declared = await stream(
    t,
    `http://127.0.0.1:${port}/mcp`,
    'subscriptions/listen',
    { notifications },
    { capabilities: TASKS },
  )
  t.strictSame((await declared.next(0)).params.notifications, notifications)
})

t.test('notifications/cancelled does not cancel a task', async t => {
  const { tool, seen } = held()
  const app = await rack(t, [tool])
  const { id, result } = await start(app, 'held', {}, { id: 'the-call' })

  for (const requestId of [id, result.taskId]) {
    await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'notifications/cancelled',
      },
      payload: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    })
  }

  t.equal((await get(app, result.taskId)).result.status, 'working')
  t.strictSame(seen.aborted, [])
  await cancel(app, result.taskId)
  t.equal(seen.aborted.length, 1)
})
