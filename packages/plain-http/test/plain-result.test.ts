// What readers without MCP get of a result: all that the tool said, and each part once.
import t from 'tap'
import type { ContentBlock } from '../../../src/protocol/blocks.ts'
import { toResultJson, toResultText } from '../src/plain-result.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const resource = (value: string): ContentBlock => ({ type: 'resource', resource: { uri: 'file:///a', text: value } })
const toValue = (result: Parameters<typeof toResultJson>[0]) => JSON.parse(toResultJson(result))

t.test('JSON: a structure with nothing else, in whatever order its text repeats it', async t => {
  const structuredContent = { a: 1, b: [2] }

  for (const content of [[], [text('{"a":1,"b":[2]}')], [text('{ "b": [2],\n"a": 1 }')]])
    t.strictSame(toValue({ content, structuredContent }), structuredContent)
  t.strictSame(toValue({ content: [], structuredContent: null }), null)
})

t.test('JSON: what the tool says beside the structure stands with it, without the repetition', async t => {
  const structuredContent = { size: 3 }
  const content = [resource('abc'), text('{"size":3}')]

  t.strictSame(toValue({ content, structuredContent }), { content: [resource('abc')], structuredContent })
  t.strictSame(toValue({ content: [], structuredContent, _meta: { 'io.modelcontextprotocol/x': 1, mine: 2 } }), {
    content: [],
    structuredContent,
    _meta: { mine: 2 },
  })
})

t.test('JSON: a text that is an object or a list keeps its numbers, on one line', async t => {
  t.equal(
    toResultJson({ content: [text('{"n": 12345678901234567890,\n "m": 1.0}\n')] }),
    '{"n": 12345678901234567890,  "m": 1.0}',
  )
  for (const other of ['5', '{oops', '[', 'a'])
    t.strictSame(toValue({ content: [text(other)] }), { content: [text(other)] })
})

t.test('JSON: a text that is known to be JSON stands as it is, unless the tool said more', async t => {
  const json = text('{"a":1}')

  t.equal(toResultJson({ content: [json] }, { isJsonText: true }), '{"a":1}')
  t.strictSame(JSON.parse(toResultJson({ content: [json], _meta: { b: 2 } }, { isJsonText: true })), {
    content: [json],
    _meta: { b: 2 },
  })
})

t.test('text: what the tool wrote; its JSON only if it wrote nothing', async t => {
  const structuredContent = { a: 1 }
  const json = text('{"a":1}')

  t.equal(toResultText({ content: [text('one'), json], structuredContent }), 'one')
  t.equal(toResultText({ content: [resource('file'), json], structuredContent }), 'file')
  t.equal(toResultText({ content: [text('one'), resource('file')] }), 'one\nfile')
  t.equal(toResultText({ content: [json], structuredContent }), '{"a":1}')
  t.equal(toResultText({ content: [] }), undefined)
})
