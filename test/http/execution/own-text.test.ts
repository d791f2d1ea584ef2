// `text: 'own'`: the content of a handler stands alone, and nothing adds the JSON of its structure.
// Spec 2026-07-28: server/tools, "Structured Content".
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { testTools } from '../../../packages/testing/src/index.ts'
import { defineTool, image, type ServerOptions, type ToolDefinition, text } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'
import { plain } from '../../support/plain.ts'
import { idOf, rack, VERSIONS } from '../../support/tasks/fallback-rack.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const structuredContent = { rows: Array.from({ length: 200 }, (_, id) => ({ id })) }
const SUMMARY = { content: [text('200 orders')], structuredContent }
const JSON_BLOCK = text(JSON.stringify(structuredContent))
const SCHEMA = { type: 'object', properties: { rows: { type: 'array' } } }

const orders = (whole: unknown, over: Partial<ToolDefinition> = {}) =>
  defineTool({ name: 'orders', text: 'own', outputSchema: SCHEMA, handler: () => whole, ...over } as ToolDefinition)

const returned = async (t: Test, whole: unknown, over: Partial<ToolDefinition> = {}, options: ServerOptions = {}) =>
  callTool(await build(t, { tools: [orders(whole, over)], ...options }), 'orders')

t.test('content of the handler stands alone', async t => {
  for (const outputSchema of [SCHEMA, undefined]) {
    for (const content of [[text('200 orders')], [image(new Uint8Array([1]), 'image/png'), text('200')]]) {
      const result = await returned(t, { content, structuredContent }, { outputSchema } as never)

      t.strictSame(result.content, content)
      t.strictSame(result.structuredContent, structuredContent)
    }
  }
  const failed = { content: [text('sold out')], structuredContent: { left: 0 }, isError: true }
  const result = await returned(t, failed)
  t.strictSame(result.content, failed.content)
  t.match(result, { structuredContent: failed.structuredContent, isError: true })
})

t.test('`structure` is the default', async t => {
  for (const text of ['structure', undefined] as const)
    t.strictSame((await returned(t, SUMMARY, { text } as never)).content, [...SUMMARY.content, JSON_BLOCK])
})

t.test('a result without content of its own still has the JSON as text', async t => {
  for (const whole of [structuredContent, { content: [], structuredContent }])
    t.strictSame((await returned(t, whole)).content, [JSON_BLOCK])
})

t.test('another value is refused, and so is another name', async t => {
  await t.rejects(build(t, { tools: [orders({}, { text: 'none' } as never)] }), /orders.*text/)
  await t.rejects(build(t, { tools: [orders({}, { texts: 'own' } as never)] }), /texts.*did you mean text/i)
})

const ALONE = [text('200 orders')]
const CONTENT = {
  '2025-11-25': { content: ALONE, structuredContent },
  '2025-06-18': { content: ALONE, structuredContent },
  '2025-03-26': { content: ALONE, structuredContent: undefined },
  '2024-11-05': { content: ALONE, structuredContent: undefined },
}

for (const [revision, { content, structuredContent: structure }] of Object.entries(CONTENT)) {
  t.test(`${revision}: the content stands alone, and a structure alone is text`, async t => {
    const tools = [orders(SUMMARY), orders(structuredContent, { name: 'bare' })]
    const session = await open(t, await build(t, { tools }), { revision })

    const { result } = await session.call('tools/call', { name: 'orders', arguments: {} })
    const bare = await session.call('tools/call', { name: 'bare', arguments: {} })

    t.strictSame(result.content, content)
    t.strictSame(result.structuredContent, structure)
    t.strictSame(bare.result.content, [JSON_BLOCK])
  })
}

t.test('2024-10-07: toolResult is the structure, and the content is beside it', async t => {
  const session = await open(t, await build(t, { tools: [orders(SUMMARY)] }), { revision: '2024-10-07' })

  const { result } = await session.call('tools/call', { name: 'orders', arguments: {} })

  t.strictSame(result.toolResult, structuredContent)
  t.strictSame(result._meta, { 'toolrack/content': ALONE })
})

t.test('a structure that is no object is left out where only objects are known', async t => {
  const tools = [orders({ content: ALONE, structuredContent: [1] }, { outputSchema: {} } as never)]
  const app = await build(t, { tools })
  const session = await open(t, app, { revision: '2025-11-25' })

  const { result } = await session.call('tools/call', { name: 'orders', arguments: {} })

  t.strictSame(result.content, ALONE)
  t.strictSame(result.structuredContent, undefined)
  t.strictSame((await callTool(app, 'orders')).structuredContent, [1])
})

t.test('a repeated call with its key says the same to each revision', async t => {
  const app = await build(t, { tools: [orders(SUMMARY, { idempotency: true })] })
  const session = await open(t, app, { revision: '2025-03-26' })
  const keyed = { name: 'orders', arguments: { idempotencyKey: 'order-1-of-the-day' } }

  const first = await session.call('tools/call', keyed)
  const again = await callTool(app, 'orders', keyed.arguments)
  const last = await session.call('tools/call', keyed)

  t.strictSame(first.result.content, ALONE)
  t.strictSame(again.content, ALONE)
  t.strictSame(again.structuredContent, structuredContent, 'the kept result has its structure')
  t.strictSame(last.result.content, ALONE)
})

for (const version of VERSIONS) {
  t.test(`${version}: the result of a task is the same by get_task_result`, async t => {
    const { client } = await rack(t, version, [orders(SUMMARY, { task: 'required' })])

    const { result } = await client.call('get_task_result', { taskId: idOf(await client.call('orders')) })

    t.strictSame(result.content, ALONE)
    t.strictSame(result.structuredContent, structuredContent)
  })
}

t.test('a tool in a process of its own does the same', async t => {
  const { path } = tempFolder(t, {
    'orders.mjs': `const structuredContent = { rows: [1] }
export const tool = { name: 'orders', text: 'own', isolate: import.meta.url,
  handler: () => ({ content: [{ type: 'text', text: 'one' }], structuredContent }) }`,
  })
  const { tool } = await import(pathToFileURL(`${path}/orders.mjs`).href)
  const app = await build(t, { tools: [tool] })

  let result = await callTool(app, 'orders')
  // On a busy machine a process may not start in time.
  while (/did not start/.test(result.content[0].text)) result = await callTool(app, 'orders')

  t.strictSame(result.content, [text('one')])
  t.strictSame(result.structuredContent, { rows: [1] })
})

t.test('plain HTTP sends both as JSON, and the content as text', async t => {
  const app = await build(t, { tools: [orders(SUMMARY)], host: '127.0.0.1' })

  const { body } = await plain(app, '/tools/orders', { json: {} })
  t.strictSame(body, { content: [{ type: 'text', text: '200 orders' }], structuredContent })
  t.equal((await plain(app, '/tools/orders', { json: {}, headers: { accept: 'text/plain' } })).text, '200 orders')
})

t.test('toolrack/testing shows both as clients get them', async t => {
  const tools = await testTools(orders(SUMMARY))
  t.teardown(() => tools.close())

  const result = await tools.call('orders')

  t.equal(result.text, '200 orders')
  t.strictSame(result.structuredContent, structuredContent)
})
