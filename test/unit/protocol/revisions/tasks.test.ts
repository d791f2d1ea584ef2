// Tasks in each revision: an extension in 2026-07-28, a part of 2025-11-25, and nothing before.
import t from 'tap'
import { isObject, type JsonObject } from '../../../../src/protocol/messages.ts'
import { findRevision, REVISIONS } from '../../../../src/protocol/revisions/index.ts'
import { BLOCKS, RESULTS } from '../../../support/wire/rich.ts'
import { strictOf } from '../../../support/wire/strict.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
const shape = (version: string, method: string, result: JsonObject) =>
  findRevision(version)!.shapeResult(method, result)
const strict = strictOf('2025-11-25')

const handle = {
  taskId: 'x',
  status: 'working',
  statusMessage: '1 of 3',
  createdAt: '2025-11-25T10:30:00.000Z',
  lastUpdatedAt: '2025-11-25T10:40:00.000Z',
  ttlMs: 60_000,
  pollIntervalMs: 1000,
}
const { ttlMs: _ttl, pollIntervalMs: _poll, ...same } = handle
const olderHandle = { ...same, ttl: 60_000, pollInterval: 1000 }

/** A task in each state, with all that the newest revision says of it, and the status that is told in 2025-11-25. */
const STATES: readonly (readonly [told: string, task: JsonObject])[] = [
  ['working', handle],
  ['input_required', { ...handle, status: 'input_required', inputRequests: { name: { method: 'roots/list' } } }],
  ['completed', { ...handle, status: 'completed', result: { resultType: 'complete', content: [] } }],
  ['completed', { ...handle, status: 'completed', result: { content: [BLOCKS['text']], isError: false } }],
  ['failed', { ...handle, status: 'completed', result: { content: [BLOCKS['text']], isError: true } }],
  ['failed', { ...handle, status: 'failed', error: { code: -32603, message: 'broken', data: { a: 1 } } }],
  ['cancelled', { ...handle, status: 'cancelled' }],
]

t.test('2026-07-28: a task says what it says', async t => {
  for (const [, task] of STATES)
    for (const method of ['tasks/get', 'tools/call']) t.equal(shape('2026-07-28', method, task), task)
})

t.test('2025-11-25: a task says ttl and pollInterval, and neither its result nor what is open', async t => {
  for (const [told, task] of STATES) {
    const older = { ...olderHandle, status: told }

    for (const method of ['tasks/get', 'tasks/cancel']) {
      const shaped = shape('2025-11-25', method, { resultType: 'complete', ...task })
      t.strictSame(shaped, older)
      t.equal(strict('Task', shaped), '')
    }
  }
  const tasks = STATES.map(([, task]) => task)
  const listed = shape('2025-11-25', 'tasks/list', { tasks, nextCursor: 'c' })
  t.strictSame(listed, { tasks: STATES.map(([status]) => ({ ...olderHandle, status })), nextCursor: 'c' })
  t.equal(strict('ListTasksResult', listed), '')
})

t.test('2025-11-25: a task without a message of its status has none', async t => {
  const { statusMessage: _none, ...quiet } = handle

  t.notOk('statusMessage' in shape('2025-11-25', 'tasks/get', quiet))
})

t.test('2025-11-25: a task is within the result of the call that made it, and beside it only metadata', async t => {
  const shaped = shape('2025-11-25', 'tools/call', { resultType: 'task', ...handle })

  t.strictSame(shaped, { task: olderHandle })
  t.equal(strict('CreateTaskResult', shaped), '')
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId: handle.taskId } }
  const withMeta = shape('2025-11-25', 'tools/call', { resultType: 'task', ...handle, _meta })
  t.strictSame(withMeta, { task: olderHandle, _meta })
  t.equal(strict('CreateTaskResult', withMeta), '')
})

t.test('2025-11-25: the result of a task is what the call would have answered', async t => {
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'x' } }

  for (const [method, result] of RESULTS) {
    if (method !== 'tools/call') continue
    const shaped = shape('2025-11-25', 'tasks/result', { ...result, _meta })

    t.strictSame(shaped, shape('2025-11-25', 'tools/call', { ...result, _meta }))
    t.equal(strict('CallToolResult', shaped), '')
  }
})

t.test('2025-11-25: a result of a tool that has a task of its own is no handle', async t => {
  const result = { resultType: 'complete', content: [], structuredContent: { resultType: 'task', ttlMs: 5 } }

  t.strictSame(shape('2025-11-25', 'tools/call', result), {
    content: [],
    structuredContent: { resultType: 'task', ttlMs: 5 },
  })
})

const toldIn = (version: string, extensions: JsonObject | undefined) =>
  shape(version, 'initialize', { capabilities: { logging: {}, ...(extensions && { extensions }) } })['capabilities']

t.test('2025-11-25: tasks are a capability, and no extension; before they are neither', async t => {
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

  t.strictSame(toldIn('2025-11-25', { [TASKS]: {} }), { logging: {}, tasks })
  t.equal(strict('ServerCapabilities', toldIn('2025-11-25', { [TASKS]: {} })), '')
  for (const version of OLDER) t.strictSame(toldIn(version, { [TASKS]: {} }), { logging: {} }, version)
})

t.test('2025-11-25: without tools for tasks there is no capability', async t => {
  for (const version of ['2025-11-25', ...OLDER])
    for (const extensions of [undefined, {}]) t.strictSame(toldIn(version, extensions), { logging: {} }, version)
})

t.test('in every revision with a handshake the other extensions stay extensions', async t => {
  const others = { 'com.example/x': { on: true } }

  for (const version of ['2025-11-25', ...OLDER]) {
    t.strictSame(toldIn(version, others), { logging: {}, extensions: others }, version)
    t.match(toldIn(version, { [TASKS]: {}, ...others }), { extensions: others }, version)
    t.notOk(TASKS in (toldIn(version, { [TASKS]: {}, ...others }) as { extensions: object }).extensions, version)
  }
})

t.test('2025-11-25 alone lists which tools may be tasks', async t => {
  const tool = { name: 'a', inputSchema: { type: 'object' } }
  const tools = ['optional', 'required'].map(taskSupport => ({ ...tool, execution: { taskSupport } }))
  const listing = REVISIONS.filter(({ shapeResult }) => {
    const { tools: listed } = shapeResult('tools/list', { tools })
    return (listed as JsonObject[]).some(each => 'execution' in each)
  })

  t.strictSame(
    listing.map(({ version }) => version),
    ['2025-11-25'],
  )
  t.strictSame(shape('2025-11-25', 'tools/list', { tools }), { tools })
  t.equal(strict('ListToolsResult', shape('2025-11-25', 'tools/list', { tools })), '')
})

t.test('a tool without tasks is listed the same, with task support and without it', async t => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }]

  for (const { version, shapeResult } of REVISIONS)
    t.strictSame(shapeResult('tools/list', { tools }), { tools }, version)
})

t.test('each revision has the methods of tasks that it knows', async t => {
  const methods = REVISIONS.map(revision => [
    revision.version,
    [...revision.methods]
      .filter(method => method.startsWith('tasks/'))
      .sort()
      .join(' '),
  ])

  t.strictSame(methods, [
    ['2026-07-28', 'tasks/cancel tasks/get tasks/update'],
    ['2025-11-25', 'tasks/cancel tasks/get tasks/list tasks/result'],
    ...OLDER.map(version => [version, '']),
  ])
})

t.test('in 2025-11-25 the client asks for a task, in 2026-07-28 the server decides, before there is none', async t => {
  t.strictSame(
    REVISIONS.map(({ version, tasks }) => [version, tasks?.onRequest]),
    [['2026-07-28', false], ['2025-11-25', true], ...OLDER.map(version => [version, undefined])],
  )
})

t.test('no revision that knows tasks changes what it is given', async t => {
  const given = frozen({ resultType: 'task', ...handle, result: { content: [], isError: true } })

  for (const { shapeResult } of REVISIONS.filter(({ tasks }) => tasks !== undefined))
    for (const method of ['tools/call', 'tasks/get', 'tasks/cancel', 'tasks/result'])
      t.doesNotThrow(() => shapeResult(method, given))
})

function frozen<T extends object>(value: T): T {
  for (const member of Object.values(Object.freeze(value))) if (isObject(member)) frozen(member)
  return value
}
