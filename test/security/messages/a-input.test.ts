// Cursors and request states come back exactly as the server sealed them, or are refused.
import t, { type Test } from 'tap'
import { definePrompt, defineTool, type ToolDefinition } from '../../../src/index.ts'
import { type App, call } from '../../support/app.ts'
import { assertAlive, assertClean, CANARY, target } from '../../support/security/probe.ts'

/** Changes that must all be noticed, of a string in base64url. */
function tamperings(sealed: string): string[] {
  const bytes = Buffer.from(sealed, 'base64url')
  const flipped = [0, 11, 12, 27, 28, bytes.length - 1].map(at => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return copy.toString('base64url')
  })
  const cut = [sealed.slice(0, -1), sealed.slice(1), sealed.slice(0, 20), sealed.slice(0, 37)]
  const dressed = [`${sealed}=`, ` ${sealed}`, `${sealed}A`, `${sealed}\n`, `${sealed}!`, bytes.toString('hex')]
  return [...flipped, ...cut, ...dressed, '', 'null', '{}', '__proto__', 'eyJmcm9tIjowfQ', '\u0000', '世界']
}

async function invalid(t: Test, app: App, method: string, params: Record<string, unknown>, name?: string) {
  const capabilities = { elicitation: {} }
  const reply = await call(app, method, params, { capabilities })
  t.match(
    { status: reply.status, code: reply.error?.code },
    { status: 200, code: -32602 },
    name ?? JSON.stringify(params),
  )
  assertClean(JSON.stringify(reply), 'reply')
  await assertAlive(app)
  return reply
}

const many = Array.from({ length: 5 }, (_, index) => ({ name: `tool_${index}`, handler: () => '' }))

t.test('A30: a cursor is as it was handed out, or refused', async t => {
  const prompts = [1, 2].map(n => ({ name: `prompt_${n}`, handler: () => '' }))
  const app = await target(t, { tools: many, prompts: prompts.map(definePrompt), pageSize: 1 })
  const { result } = await call(app, 'tools/list')
  const cursor: string = result.nextCursor

  t.match(await call(app, 'tools/list', { cursor }), { result: { tools: [{ name: 'tool_0' }] } })
  for (const each of tamperings(cursor)) await invalid(t, app, 'tools/list', { cursor: each })

  await invalid(t, app, 'tools/list', { cursor: 'A'.repeat(1_000_000) }, 'a cursor of 1 MB')
  await invalid(t, app, 'prompts/list', { cursor }, 'of another list')
})

t.test('A30: a cursor that is no string has invalid params', async t => {
  const app = await target(t, { tools: many, pageSize: 1 })

  for (const cursor of [7, null, {}, [], true]) {
    const reply = await call(app, 'tools/list', { cursor } as Record<string, unknown>)
    t.match(reply, { status: 400, error: { code: -32602 } })
  }
})

t.test('A30: a cursor of another server, and of a list that has changed, is refused', async t => {
  const app = await target(t, { tools: many, pageSize: 1 })
  const other = await target(t, { tools: many, pageSize: 1, stateSecret: `${CANARY}, and another one` })
  const replica = await target(t, { tools: many, pageSize: 1 })
  const { result } = await call(app, 'tools/list')
  const cursor: string = result.nextCursor

  t.match(await call(replica, 'tools/list', { cursor }), { result: { tools: [{ name: 'tool_0' }] } })
  await invalid(t, other, 'tools/list', { cursor })
  app.toolrack.remove('tool_3')
  await invalid(t, app, 'tools/list', { cursor }, 'after a change')
})

/** A server with two tools that ask who is there and then count one effect. */
async function asking(t: Test, annotations: ToolDefinition['annotations'] = {}) {
  let effects = 0
  const toolNamed = (name: string) =>
    defineTool({
      name,
      annotations,
      inputSchema: { type: 'object' },
      async handler(_args, ctx) {
        const { content } = await ctx.elicit('who', {
          message: 'Who?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        })
        effects++
        return `done by ${content?.['name']}`
      },
    })
  const app = await target(t, { tools: [toolNamed('ask'), toolNamed('other')] })
  const options = { capabilities: { elicitation: {} } }
  const first = await call(app, 'tools/call', { name: 'ask', arguments: { a: 1, b: { c: 2, d: 3 } } }, options)
  const right = {
    name: 'ask',
    arguments: { b: { d: 3, c: 2 }, a: 1 },
    inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } },
    requestState: first.result.requestState as string,
  }
  return { app, right, retry: () => call(app, 'tools/call', right, options), effects: () => effects }
}

t.test('A31: the same call with its state and the answers runs to its end', async t => {
  const { retry, effects } = await asking(t)

  t.match(await retry(), { status: 200, result: { content: [{ text: 'done by Ada' }] } })
  t.equal(effects(), 1)
})

t.test('A31: a state that was changed, or is none, is refused and nothing is done', async t => {
  const { app, right, effects } = await asking(t)

  for (const requestState of tamperings(right.requestState))
    await invalid(t, app, 'tools/call', { ...right, requestState }, requestState.slice(0, 40))

  t.equal(effects(), 0)
})

t.test('A31: a state of another tool, of other arguments, or a cursor for a state, is refused', async t => {
  const { app, right, effects } = await asking(t)
  for (const { name, handler } of many) app.toolrack.add({ name, handler })

  await invalid(t, app, 'tools/call', { ...right, name: 'other' })
  await invalid(t, app, 'tools/call', { ...right, arguments: { a: 1 } })
  await invalid(t, app, 'tools/call', { ...right, arguments: { a: '1', b: { c: 2, d: 3 } } })
  await invalid(t, app, 'tools/call', { ...right, arguments: undefined })
  await invalid(t, app, 'tools/list', { cursor: right.requestState })

  t.equal(effects(), 0)
})

t.test('A31: a state is good for ten minutes', async t => {
  const { now } = Date
  const mintedMs = now()
  t.teardown(() => void (Date.now = now))
  Date.now = () => mintedMs
  const { app, right, retry, effects } = await asking(t)

  Date.now = () => mintedMs + 10 * 60_000 + 1
  const late = await invalid(t, app, 'tools/call', right)
  t.match(late.error?.message, /expired/)
  t.equal(effects(), 0)

  Date.now = () => mintedMs + 10 * 60_000 - 1
  t.match(await retry(), { result: { content: [{ text: 'done by Ada' }] } })
})

t.test('A31: a state of a tool that changes things counts once, also where two come at the same time', async t => {
  const { app, right, retry, effects } = await asking(t)

  const replies = await Promise.all([retry(), retry(), retry()])

  t.equal(replies.filter(({ result }) => result !== undefined).length, 1)
  await invalid(t, app, 'tools/call', right, 'again, later')
  t.equal(effects(), 1)
})

t.test('A31: a state of a tool that is read-only or idempotent may come again', async t => {
  for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
    const { retry, effects } = await asking(t, annotations)

    for (let count = 1; count <= 2; count++) {
      t.match(await retry(), { result: { content: [{ text: 'done by Ada' }] } })
      t.equal(effects(), count)
    }
  }
})

t.test('A31: answers without their state are taken for answers to a first call', async t => {
  const { app, right } = await asking(t)
  const { requestState: _, ...without } = right

  const reply = await call(app, 'tools/call', without, { capabilities: { elicitation: {} } })

  t.match(reply, { status: 200, result: { content: [{ text: 'done by Ada' }] } })
})
