// The last step down, to 2024-10-07: a tool's result is one JSON value.
import t from 'tap'
import type { JsonObject } from '../../../../src/protocol/messages.ts'
import { findRevision } from '../../../../src/protocol/revisions/index.ts'

const called = (result: JsonObject) =>
  findRevision('2024-10-07')!.shapeResult('tools/call', { resultType: 'complete', ...result })
const text = (said: string) => ({ type: 'text', text: said })

t.test('2024-10-07: toolResult is the one value that the tool returned', async t => {
  const link = { type: 'resource_link', uri: 'a:b', name: 'b' }
  const of = (result: JsonObject) => called(result)

  t.strictSame(of({ content: [] }), { toolResult: null })
  t.strictSame(of({ content: [text('')] }), { toolResult: '' })
  t.strictSame(of({ content: [text('{"a":[1]}')] }), { toolResult: { a: [1] } })
  for (const said of ['{ "a": 1 }', '{"a":', '72', 'null', '"x"', '[draft]'])
    t.strictSame(of({ content: [text(said)] }), { toolResult: said })
  t.strictSame(of({ content: [text('a'), link] }), { toolResult: [text('a'), text('Resource b: a:b')] })
})

t.test('2024-10-07: toolResult of a structure is the structure itself, whatever is beside it', async t => {
  const structuredContent = { temperature: 72 }
  const json = text('{"temperature":72}')
  const image = { type: 'image', data: '', mimeType: 'image/png' }
  const of = (content: JsonObject[], more: JsonObject = { structuredContent }) => called({ content, ...more })

  for (const content of [[json], [], [json, text('{ "temperature": 72.0 }')]])
    t.strictSame(of(content), { toolResult: structuredContent })
  for (const value of [null, false, 0, '', [1]])
    t.strictSame(of([text(JSON.stringify(value))], { structuredContent: value }), { toolResult: value })
  for (const content of [[text('warm')], [text('warm'), image], [image]]) {
    const expected = { _meta: { 'toolrack/content': content }, toolResult: structuredContent }
    t.strictSame(of([...content, json]), expected)
    t.strictSame(of(content), expected)
  }
  t.strictSame(of([text('warm'), json], { structuredContent, _meta: { x: 1 } }), {
    _meta: { x: 1, 'toolrack/content': [text('warm')] },
    toolResult: structuredContent,
  })
})

t.test('2024-10-07: an execution error is a toolResult with an error', async t => {
  const image = { type: 'image', data: '', mimeType: 'image/png' }
  const structuredContent = { status: 'empty' }
  const json = text('{"status":"empty"}')
  const of = (result: JsonObject) => called({ isError: true, ...result })

  t.strictSame(of({ content: [text('No results'), text('Try again')] }), {
    toolResult: { error: 'No results\nTry again' },
  })
  t.strictSame(of({ content: [text('No'), json], structuredContent }), {
    toolResult: { error: 'No', structuredContent },
  })
  for (const content of [[], [json]])
    t.strictSame(of({ content, structuredContent }), { toolResult: { error: json.text } })
  t.strictSame(of({ content: [image] }), { toolResult: { error: JSON.stringify(image) } })
})

t.test('2024-10-07: no instructions in the answer to initialize', async t => {
  const opened = { protocolVersion: '2024-10-07', capabilities: {}, serverInfo: { name: 's', version: '1' } }

  t.strictSame(findRevision('2024-10-07')!.shapeResult('initialize', { ...opened, instructions: 'Be brief.' }), opened)
})

t.test('2024-10-07: resources have no size, and nothing has annotations', async t => {
  const { shapeResult, shapeQuestion } = findRevision('2024-10-07')!
  const annotations = { audience: ['user'], priority: 1 }
  const known = { name: 'a', description: 'd', mimeType: 'text/plain' }
  const block = { type: 'text', text: 'x' }
  const messages = [{ role: 'user', content: { ...block, annotations } }]

  t.strictSame(shapeResult('resources/list', { resources: [{ uri: 'a:b', ...known, size: 1, annotations }] }), {
    resources: [{ uri: 'a:b', ...known }],
  })
  t.strictSame(
    shapeResult('resources/templates/list', { resourceTemplates: [{ uriTemplate: 'a:{b}', ...known, annotations }] }),
    {
      resourceTemplates: [{ uriTemplate: 'a:{b}', ...known }],
    },
  )
  t.strictSame(shapeResult('prompts/get', { messages }), { messages: [{ role: 'user', content: block }] })
  t.strictSame(shapeQuestion({ method: 'sampling/createMessage', params: { messages, maxTokens: 1 } }, 'q').params, {
    messages: [{ role: 'user', content: block }],
    maxTokens: 1,
  })
})

t.test('2024-10-07: an error says why in its data', async t => {
  const { shapeError } = findRevision('2024-10-07')!

  t.strictSame(shapeError({ code: -32602, message: 'Unknown tool: x' }), {
    code: -32602,
    message: 'Unknown tool: x',
    data: { reason: 'Unknown tool: x' },
  })
  t.strictSame(shapeError({ code: -32602, message: 'm', data: { uri: 'a' } }).data, { uri: 'a' })
})
