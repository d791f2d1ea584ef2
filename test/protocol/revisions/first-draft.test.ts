// The last step down, to 2024-10-07: a tool's result is one JSON value.
import t from 'tap'
import type { JsonObject } from '../../../src/protocol/messages.ts'
import { revisionOf } from '../../../src/protocol/revisions/index.ts'

const called = (result: JsonObject) =>
  revisionOf('2024-10-07')!.shape('tools/call', { resultType: 'complete', ...result })
const text = (said: string) => ({ type: 'text', text: said })

t.test('2024-10-07: toolResult is the one value that the tool returned', async t => {
  const structuredContent = { temperature: 72 }
  const json = text('{"temperature":72}')
  const link = { type: 'resource_link', uri: 'a:b', name: 'b' }
  const of = (result: JsonObject) => called(result)

  t.strictSame(of({ content: [json], structuredContent }), { toolResult: { temperature: 72 } })
  t.strictSame(of({ content: [], structuredContent }), { toolResult: { temperature: 72 } })
  t.strictSame(of({ content: [json], structuredContent: [1] }), {
    toolResult: { content: [json], structuredContent: [1] },
  })
  t.strictSame(of({ content: [], structuredContent: null }), { toolResult: null })
  t.strictSame(of({ content: [] }), { toolResult: null })
  t.strictSame(of({ content: [text('')] }), { toolResult: '' })
  t.strictSame(of({ content: [text('{"a":[1]}')] }), { toolResult: { a: [1] } })
  for (const said of ['{ "a": 1 }', '{"a":', '72', 'null', '"x"', '[draft]'])
    t.strictSame(of({ content: [text(said)] }), { toolResult: said })
  t.strictSame(of({ content: [text('a'), link] }), { toolResult: [text('a'), text('Resource b: a:b')] })
  t.strictSame(of({ content: [text('warm')], structuredContent, _meta: { x: 1 } }), {
    _meta: { x: 1 },
    toolResult: { content: [text('warm')], structuredContent },
  })
})

t.test('2024-10-07: an execution error is a toolResult with an error', async t => {
  const image = { type: 'image', data: '', mimeType: 'image/png' }
  const of = (result: JsonObject) => called({ isError: true, ...result })

  t.strictSame(of({ content: [text('No results'), text('Try again')] }), {
    toolResult: { error: 'No results\nTry again' },
  })
  t.strictSame(of({ content: [text('No')], structuredContent: { status: 'empty' } }), {
    toolResult: { error: 'No', structuredContent: { status: 'empty' } },
  })
  t.strictSame(of({ content: [image] }), { toolResult: { error: JSON.stringify(image) } })
})

t.test('2024-10-07: an error says why in its data', async t => {
  const { shapeError } = revisionOf('2024-10-07')!

  t.strictSame(shapeError({ code: -32602, message: 'Unknown tool: x' }), {
    code: -32602,
    message: 'Unknown tool: x',
    data: { reason: 'Unknown tool: x' },
  })
  t.strictSame(shapeError({ code: -32602, message: 'm', data: { uri: 'a' } }).data, { uri: 'a' })
})
