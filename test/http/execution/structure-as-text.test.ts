// Structured content beside content: its JSON is the last text, for clients that read no more than content.
// Spec 2026-07-28: server/tools, "Structured Content".
import t, { type Test } from 'tap'
import { defineTool, image, type ServerOptions, type ToolDefinition, text } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'

const structuredContent = { price: 1.5, tags: ['a', 'b'] }
const JSON_BLOCK = text('{"price":1.5,"tags":["a","b"]}')
const SCHEMA = {
  type: 'object',
  properties: { price: { type: 'number' }, tags: { type: 'array' } },
  required: ['price', 'tags'],
}

async function returnedBy(t: Test, whole: unknown, over: Partial<ToolDefinition> = {}, options: ServerOptions = {}) {
  const tool = defineTool({ name: 'tool', outputSchema: SCHEMA, handler: () => whole, ...over } as ToolDefinition)
  return callTool(await build(t, { tools: [tool], ...options }), 'tool')
}

t.test('a result with content and structure carries its JSON as text, behind what the tool said', async t => {
  const content = [text('1.50 €'), image(new Uint8Array([1]), 'image/png')]

  for (const outputSchema of [SCHEMA, undefined]) {
    const result = await returnedBy(t, { content, structuredContent }, { outputSchema } as never)

    t.strictSame(result.content, [...content, JSON_BLOCK])
    t.strictSame(result.structuredContent, structuredContent)
  }
})

t.test('a result with a structure and no content has its JSON as content', async t => {
  t.strictSame((await returnedBy(t, { content: [], structuredContent })).content, [JSON_BLOCK])
})

t.test('a failure with a structure carries its JSON as text too', async t => {
  const result = await returnedBy(t, { content: [text('sold out')], structuredContent: { left: 0 }, isError: true })

  t.match(result, { content: [text('sold out'), text('{"left":0}')], structuredContent: { left: 0 }, isError: true })
})

t.test('a structure that is no object is said as well', async t => {
  for (const value of [[1], 'x', 0, false, null]) {
    const whole = { content: [text('said')], structuredContent: value }
    const result = await returnedBy(t, whole, { outputSchema: {} } as never)

    t.strictSame(result.content, [text('said'), text(JSON.stringify(value))])
  }
})

t.test('a text that is that JSON is not said twice, however it is written and whoever it is for', async t => {
  const annotations = { audience: ['assistant' as const], priority: 0 }
  for (const said of [
    JSON_BLOCK,
    text(JSON.stringify(structuredContent, undefined, 2)),
    text('{"tags":["a","\\u0062"],"price":1.50}'),
    text(JSON_BLOCK.text, { annotations }),
  ]) {
    const content = [text('1.50 €'), said]

    t.strictSame((await returnedBy(t, { content, structuredContent })).content, content, said.text)
  }
})

t.test('a text that is the JSON of something else does not stand for the structure', async t => {
  for (const said of ['{"price":1.5}', '{"price":1.5,"tags":["b","a"]}', '[1.5]', '{not JSON}'])
    t.strictSame((await returnedBy(t, { content: [text(said)], structuredContent })).content, [text(said), JSON_BLOCK])
})

t.test('the text is of the structure as it is delivered: cleaned, within it as in the block', async t => {
  const dirty = { price: 0, tags: ['a\u001b[31mb\u202e'] }

  const result = await returnedBy(t, { content: [text('said')], structuredContent: dirty })

  t.strictSame(result.structuredContent, { price: 0, tags: ['ab'] })
  t.equal(result.content[1].text, '{"price":0,"tags":["ab"]}')
})

t.test('a result that the text would make too large is delivered without it', async t => {
  const whole = (length: number) => ({
    content: [text('said')],
    structuredContent: { price: 1, tags: ['x'.repeat(length)] },
  })
  const options = { limits: { maxResultBytes: 10_000 } }

  const small = await returnedBy(t, whole(4800), {}, options)
  const large = await returnedBy(t, whole(9000), {}, options)
  const tooLarge = await returnedBy(t, whole(10_000), {}, options)

  t.strictSame(small.content, [text('said'), text(JSON.stringify(small.structuredContent))])
  t.strictSame(large.content, [text('said')])
  t.equal(large.structuredContent.tags[0].length, 9000)
  t.match(tooLarge, { isError: true, content: [{ text: /too large: over 10000 bytes/ }] })
})

t.test('a result of long numbers is measured too: each is 25 times what it counts for', async t => {
  // Some 25 bytes each, in the structure and in its text.
  const numbers = Array.from({ length: 200 }, (_, index) => -Math.PI / 10 ** (250 + (index % 50)))

  const result = await returnedBy(t, numbers, { outputSchema: {} } as never, { limits: { maxResultBytes: 9000 } })

  t.match(result, { isError: true, content: [{ text: /too large/ }] })
})
