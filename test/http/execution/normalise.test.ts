import t from 'tap'
import {
  audio,
  defineTool,
  embeddedResource,
  image,
  resourceLink,
  type ToolDefinition,
  Type,
  text,
} from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'

const bytes = new Uint8Array([1, 2, 3, 255])
const link = { uri: 'https://x.example/a', name: 'a' }

const RETURNED: [what: string, returned: unknown, result: { content: unknown[]; structuredContent?: unknown }][] = [
  ['a text', 'hello', { content: [{ type: 'text', text: 'hello' }] }],
  ['a text block', text('hello'), { content: [{ type: 'text', text: 'hello' }] }],
  [
    'a text block with annotations',
    text('hello', { annotations: { audience: ['user'], priority: 0.5 }, _meta: { a: 1 } }),
    { content: [{ type: 'text', text: 'hello', annotations: { audience: ['user'], priority: 0.5 }, _meta: { a: 1 } }] },
  ],
  ['an image', image(bytes, 'image/png'), { content: [{ type: 'image', data: 'AQID/w==', mimeType: 'image/png' }] }],
  [
    'audio',
    audio(bytes.buffer, 'audio/wav'),
    { content: [{ type: 'audio', data: 'AQID/w==', mimeType: 'audio/wav' }] },
  ],
  ['a part of a buffer', image(bytes.subarray(1, 3), 'image/gif'), { content: [{ data: 'AgM=' }] }],
  ['a resource link', resourceLink(link), { content: [{ type: 'resource_link', ...link }] }],
  [
    'an embedded text',
    embeddedResource({ uri: 'a:b', text: 'x', mimeType: 'text/plain' }),
    { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'x', mimeType: 'text/plain' } }] },
  ],
  [
    'embedded bytes',
    embeddedResource({ uri: 'a:b', blob: bytes }),
    { content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'AQID/w==' } }] },
  ],
  [
    'an array of blocks',
    [text('a'), image(bytes, 'image/png'), resourceLink(link)],
    { content: [{ type: 'text' }, { type: 'image' }, { type: 'resource_link' }] },
  ],
  ['an object', { price: 1, tags: ['a'] }, { content: [{ type: 'text', text: '{"price":1,"tags":["a"]}' }] }],
  ['an array', [1, 'a', null], { content: [{ type: 'text', text: '[1,"a",null]' }] }],
  ['an empty array', [], { content: [{ type: 'text', text: '[]' }] }],
  ['an array of blocks and others', [text('a'), 1], { content: [{ text: '[{"type":"text","text":"a"},1]' }] }],
  ['an object that is typed, but no block', { type: 'text' }, { content: [{ text: '{"type":"text"}' }] }],
  ['a number', 42, { content: [{ type: 'text', text: '42' }] }],
  ['zero', 0, { content: [{ type: 'text', text: '0' }] }],
  ['a boolean', false, { content: [{ type: 'text', text: 'false' }] }],
  ['null', null, { content: [{ type: 'text', text: 'null' }] }],
  ['nothing', undefined, { content: [] }],
  ['a member that is undefined', { a: undefined, b: 1 }, { content: [{ text: '{"b":1}' }] }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { content: [{ text: '{"a":1}' }] }],
  ['a whole result', { content: [text('a')] }, { content: [{ type: 'text', text: 'a' }] }],
  ['a whole result without content', { content: [] }, { content: [] }],
  [
    'a whole result with structured content',
    { content: [text('a')], structuredContent: { a: 1 } },
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: '{"a":1}' },
      ],
      structuredContent: { a: 1 },
    },
  ],
]

for (const [what, returned, expected] of RETURNED) {
  t.test(`result: ${what}, at once or later`, async t => {
    const tools = [
      defineTool({ name: 'at-once', handler: () => returned }),
      defineTool({ name: 'later', handler: async () => returned }),
    ]
    const app = await build(t, { tools })

    for (const { name } of tools) {
      const result = await callTool(app, name)

      t.match(result, expected)
      t.equal(result.content.length, expected.content.length)
      t.equal('structuredContent' in result, 'structuredContent' in expected)
      t.notOk('isError' in result)
    }
  })
}

async function returnedBy(t: Parameters<typeof build>[0], over: Partial<ToolDefinition>) {
  const app = await build(t, { tools: [defineTool({ name: 'tool', handler: () => 'x', ...over })] })
  return callTool(app, 'tool')
}

t.test('result: a whole one with isError and _meta stays as it is', async t => {
  const whole = { content: [text('sold out')], isError: true, _meta: { 'shop/a': 1 } }

  const result = await returnedBy(t, { handler: () => whole })

  t.match(result, whole)
})

t.test('result: isError that is false is left out', async t => {
  const result = await returnedBy(t, { handler: () => ({ content: [], isError: false }) })

  t.notOk('isError' in result)
})

t.test('result: members that a result does not have are not delivered', async t => {
  const result = await returnedBy(t, { handler: () => ({ content: [], resultType: 'input_required', secret: 1 }) })

  t.strictSame(Object.keys(result).sort(), ['_meta', 'content', 'resultType'])
  t.equal(result.resultType, 'complete')
})

const STRUCTURED: [what: string, outputSchema: object, returned: unknown][] = [
  ['an object', Type.Object({ a: Type.Number() }), { a: 1 }],
  ['an array', Type.Array(Type.Number()), [1, 2]],
  ['a text', Type.String(), 'x'],
  ['a number', Type.Number(), 0],
  ['a boolean', Type.Boolean(), false],
  ['null', Type.Null(), null],
  ['an object that looks like a block', Type.Object({ type: Type.String(), text: Type.String() }), text('x')],
  ['an object with a member named content', Type.Object({ content: Type.String() }), { content: 'x' }],
  ['blocks', Type.Array(Type.Object({ type: Type.String() })), [text('x')]],
]

for (const [what, outputSchema, returned] of STRUCTURED) {
  t.test(`result: ${what} with an outputSchema is structured content, and its JSON as text`, async t => {
    const result = await returnedBy(t, { outputSchema: outputSchema as never, handler: () => returned })

    t.strictSame(result.structuredContent, returned)
    t.strictSame(result.content, [{ type: 'text', text: JSON.stringify(returned) }])
  })
}

t.test('result: with an outputSchema a whole result keeps its own content, before its JSON', async t => {
  const outputSchema = Type.Object({ a: Type.Number() })
  const whole = { content: [text('one')], structuredContent: { a: 1 } }

  const result = await returnedBy(t, { outputSchema: outputSchema as never, handler: () => whole })

  t.match(result, { ...whole, content: [text('one'), text('{"a":1}')] })
  t.equal(result.content.length, 2)
})

t.test('result: what a tool changes after it returned is not what was sent', async t => {
  const shared = { tags: ['a'] }
  const tool = defineTool({
    name: 'tool',
    outputSchema: Type.Object({ tags: Type.Array(Type.String()) }),
    handler: () => shared,
  })
  const app = await build(t, { tools: [tool] })

  const result = await callTool(app, 'tool')
  shared.tags.push('b')

  t.strictSame(result.structuredContent, { tags: ['a'] })
})
