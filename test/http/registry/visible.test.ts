// `visible` decides what a caller sees and may call, at every door.
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { defineTool, type ServerOptions, type ToolDefinition, type Visible } from '../../../src/index.ts'
import { type App, build, call } from '../../support/app.ts'
import { ALICE, bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { open } from '../../support/client/app-client.ts'
import { merged } from '../../support/merged.ts'
import { rack } from '../../support/tasks/fallback-rack.ts'
import { ABLE_AND_TASKS, get, held, taskFrom, textOf, whenEnded } from '../../support/tasks/modern.ts'

const BOB = bearer('read', { sub: 'bob' })
const forAlice: Visible = (_tool, caller) => caller?.subject === 'alice'
const tools = [
  defineTool({ name: 'a_open', handler: () => 'open' }),
  defineTool({ name: 'b_alice', visible: forAlice, handler: () => 'for alice' }),
  defineTool({ name: 'c_beta', _meta: { stage: 'beta' }, handler: () => 'beta' }),
  defineTool({ name: 'd_scoped', scopes: ['write'], visible: forAlice, handler: () => 'scoped' }),
]
const noBeta: Visible = ({ _meta }) => _meta?.['stage'] !== 'beta'

const serve = (t: Parameters<typeof build>[0], options = {}) =>
  build(t, merged({ jwt: { secret: SECRET }, publicUrl: RESOURCE, tools }, options))

async function list(app: App, headers: Record<string, string>): Promise<string[]> {
  const { result } = await call(app, 'tools/list', {}, { headers })
  t.equal(result.cacheScope, 'private')
  return result.tools.map(({ name }: { name: string }) => name)
}

t.test('each caller sees what the rules of the program and of the tool let through', async t => {
  const app = await serve(t, { visible: noBeta })

  t.strictSame(await list(app, ALICE), ['a_open', 'b_alice'])
  t.strictSame(await list(app, BOB), ['a_open'])
  t.strictSame(await list(app, bearer('write', { sub: 'alice' })), ['a_open', 'b_alice', 'd_scoped'])
  t.strictSame(await list(app, ALICE), ['a_open', 'b_alice'], 'the page of another is not shared')
})

t.test('a tool that is not visible is an unknown one, whatever the scopes', async t => {
  const app = await serve(t, { visible: noBeta })
  const ask = (name: string, headers: Record<string, string>) =>
    call(app, 'tools/call', { name, arguments: {} }, { headers })
  const unknown = (await ask('nope', BOB)).error

  for (const name of ['b_alice', 'c_beta', 'd_scoped'])
    t.strictSame((await ask(name, BOB)).error, { ...unknown, message: unknown.message.replace('nope', name) })
  t.match((await ask('b_alice', ALICE)).result, { content: [{ text: 'for alice' }] })
  t.equal((await ask('d_scoped', ALICE)).status, 403, 'a visible one still needs its scopes')
})

t.test('pages have cursors of their own', async t => {
  const app = await serve(t, { pageSize: 1 })
  const read = async (headers: Record<string, string>) => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { result } = await call(app, 'tools/list', cursor === undefined ? {} : { cursor }, { headers })
      seen.push(...result.tools.map(({ name }: { name: string }) => name))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    return seen
  }

  t.strictSame(await read(ALICE), ['a_open', 'b_alice', 'c_beta'])
  t.strictSame(await read(BOB), ['a_open', 'c_beta'])
})

t.test('a cursor ends with what the caller saw', async t => {
  let isBeta = true
  const visible: Visible = ({ _meta }) => isBeta || _meta === undefined
  const app = await serve(t, { pageSize: 1, visible })
  const { nextCursor: cursor } = (await call(app, 'tools/list', {}, { headers: BOB })).result

  isBeta = false
  t.match((await call(app, 'tools/list', { cursor }, { headers: BOB })).error, { message: /the list has changed/ })
})

t.test('a rule that fails, or would have to wait, hides the tool, and the log says why', async t => {
  const rules: Record<string, Visible> = {
    broken: () => {
      throw new Error('no claims')
    },
    waits: (async () => {
      throw new Error('would end the process, if nobody heard of it')
    }) as never,
    says: (() => 'yes') as never,
  }
  const broken = Object.entries(rules).map(([name, visible]) => defineTool({ name, visible, handler: () => '' }))
  const app = await serve(t, { tools: [...tools, ...broken] })

  t.strictSame(await list(app, BOB), ['a_open', 'c_beta'])
  await list(app, BOB)
  const lines = app.logs.lines.filter(({ msg }) => msg === 'tool hidden, since its visibility rule failed')
  t.match(lines, [
    { level: 50, tool: 'broken', reason: 'no claims' },
    { tool: 'says', reason: /must return true or false/ },
    { tool: 'waits', reason: /cannot wait/ },
  ])
  t.equal(lines.length, 3, 'once each in a while')
})

for (const version of ['2026-07-28', '2025-11-25'] as const) {
  t.test(`a task of a tool that has become invisible is unknown, in ${version}`, async t => {
    let isVisible = true
    const { promise, resolve } = Promise.withResolvers<string>()
    const slow = defineTool({ name: 'slow', task: 'required', visible: () => isVisible, handler: () => promise })
    const { client } = await rack(t, version, [slow], { tasks: { inlineMs: 0 } })
    const text = JSON.stringify(await client.call('slow'))
    const taskId = /task (\S+?)\. Call/.exec(text)![1]

    isVisible = false
    t.match(JSON.stringify(await client.call('get_task_result', { taskId })), /There is no such task/)
    isVisible = true
    resolve('done')
    t.match(JSON.stringify(await client.call('get_task_result', { taskId })), /done/)
  })
}

const withBeta = bearer('beta', { sub: 'bob' })
const withoutBeta = bearer('read', { sub: 'bob' })
const asBob = (headers: Record<string, string>) => ({ headers, capabilities: ABLE_AND_TASKS })
const forBeta: Visible = ({ _meta }, caller) => _meta?.['stage'] !== 'beta' || caller?.scopes.includes('beta') === true

/** A task of a tool that is taken away when the task has ended. */
async function afterItsTool(
  t: Parameters<typeof build>[0],
  own: Partial<ToolDefinition>,
  options: ServerOptions,
): Promise<(headers: Record<string, string>) => Promise<string>> {
  const { tool, release } = held('secret', own)
  const app = await serve(t, { tools: [tool], ...options, tasks: { inlineMs: 0, ...options.tasks } })
  const taskId = await taskFrom(app, 'secret', {}, asBob(withBeta))
  release('top secret')
  await whenEnded(app, taskId, asBob(withBeta))
  app.toolrack.remove('secret')
  return async headers => {
    const { result, error } = await get(app, taskId, asBob(headers))
    return result === undefined ? error.message : textOf(result)
  }
}

t.test('a task outlives its tool: the rules of all tools still decide who may see it', async t => {
  const read = await afterItsTool(t, { _meta: { stage: 'beta' } }, { visible: forBeta })

  t.equal(await read(withBeta), 'top secret')
  t.match(await read(withoutBeta), /unknown/)
})

t.test('a task outlives its tool: what no rule can tell any more is hidden', async t => {
  const ownRule = await afterItsTool(t, { visible: () => true }, {})
  const tooLarge = await afterItsTool(t, { description: 'long '.repeat(4000) }, { visible: () => true })
  const open = await afterItsTool(t, {}, {})

  t.match(await ownRule(withBeta), /unknown/)
  t.match(await tooLarge(withBeta), /unknown/)
  t.equal(await open(withBeta), 'top secret', 'without rules, as before')
})

t.test('who waits for the result of a task learns nothing once its tool has become invisible', async t => {
  let [isVisible, asked] = [true, 0]
  const { promise, resolve } = Promise.withResolvers<string>()
  const visible = () => {
    asked++
    return isVisible
  }
  const slow = defineTool({ name: 'slow', task: 'optional', visible, handler: () => promise })
  const app = await build(t, { tools: [slow], tasks: { inlineMs: 0 } })
  const client = await open(t, app, { revision: '2025-11-25' })
  const { taskId } = (await client.callTool('slow', {}, { task: {} })).result.task

  const before = asked
  const waiting = client.call('tasks/result', { taskId })
  while (asked === before) await nextTurn()
  isVisible = false
  resolve('secret')

  t.match((await waiting).error, { message: /unknown/ })
})

t.test('without access control the rule gets no caller', async t => {
  const app = await build(t, { tools })

  t.strictSame(
    (await call(app, 'tools/list')).result.tools.map(({ name }: { name: string }) => name),
    ['a_open', 'c_beta'],
  )
})
