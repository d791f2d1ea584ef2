// Each step down, by what the changelog of the revision above it says.
import t from 'tap'
import type { JsonObject } from '../../../../src/protocol/messages.ts'
import { findRevision } from '../../../../src/protocol/revisions/index.ts'
import { BLOCKS, TOOLS } from '../../../support/wire/rich.ts'

const HANDSHAKES = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
const shape = (version: string, method: string, result: JsonObject) =>
  findRevision(version)!.shapeResult(method, result)
const called = (version: string, result: JsonObject) =>
  shape(version, 'tools/call', { resultType: 'complete', ...result })
const listed = (version: string) => shape(version, 'tools/list', { tools: TOOLS })['tools'] as JsonObject[]
const text = (said: string) => ({ type: 'text', text: said })

t.test('2025-11-25: nothing of 2026-07-28 in any result', async t => {
  const newest = { resultType: 'complete', ttlMs: 1, cacheScope: 'public' }

  for (const version of HANDSHAKES)
    for (const method of ['tools/list', 'resources/list', 'resources/read', 'prompts/get', 'completion/complete'])
      t.strictSame(shape(version, method, { ...newest, nextCursor: 'c' }), { nextCursor: 'c' }, `${version} ${method}`)
})

t.test('2025-11-25: a schema has subschemas that are objects, and mirrors nothing into headers', async t => {
  for (const version of HANDSHAKES) {
    const [everything] = listed(version)

    t.strictSame((everything!['inputSchema'] as JsonObject)['properties'], {
      any: {},
      never: { not: {} },
      deep: { type: 'object', properties: { no: { not: {} }, yes: {} } },
      region: { type: 'string' },
      'x-mcp-header': { type: 'string' },
      where: { type: 'object', properties: { zone: { type: 'string' } } },
    })
  }
})

t.test('2025-11-25: an outputSchema is of an object, or is none', async t => {
  for (const version of ['2025-11-25', '2025-06-18'])
    t.strictSame(
      listed(version)
        .filter(tool => 'outputSchema' in tool)
        .map(({ name }) => name),
      ['everything'],
      version,
    )
})

t.test('2025-11-25: a structure that is no object is said as text', async t => {
  for (const version of HANDSHAKES.slice(0, 4)) {
    t.strictSame(called(version, { content: [], structuredContent: [1, 2] }), { content: [text('[1,2]')] }, version)
    t.strictSame(called(version, { content: [text('[1, 2]')], structuredContent: [1, 2] }), {
      content: [text('[1, 2]')],
    })
    t.strictSame(called(version, { content: [text('two')], structuredContent: null }), {
      content: [text('two'), text('null')],
    })
  }
})

t.test('2025-11-25 and 2025-06-18: a structure that is an object stays one', async t => {
  for (const version of ['2025-11-25', '2025-06-18']) {
    const result = { content: [text('{"a":1}')], structuredContent: { a: 1 } }

    t.strictSame(called(version, result), result)
  }
})

t.test('2025-06-18: no icons, neither in lists nor in links', async t => {
  for (const version of HANDSHAKES.slice(1)) {
    t.notMatch(JSON.stringify(listed(version)), 'icons')
    t.notMatch(JSON.stringify(called(version, { content: [BLOCKS['resource_link']!] })), 'icons')
  }
  t.match(listed('2025-11-25')[0], { icons: [{ src: String }] })
})

t.test('2025-06-18: no execution', async t => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }]

  for (const version of HANDSHAKES.slice(1))
    t.strictSame(shape(version, 'tools/list', { tools }), { tools: [{ name: 'a', inputSchema: { type: 'object' } }] })
})

t.test('2025-03-26: a title goes where the annotations had one, and nowhere else', async t => {
  const tools = [
    { name: 'a', title: 'A', annotations: { readOnlyHint: true } },
    { name: 'b', title: 'B' },
    { name: 'c', title: 'C', annotations: { title: 'Own' } },
  ]

  t.strictSame(shape('2025-03-26', 'tools/list', { tools }), {
    tools: [
      { name: 'a', annotations: { title: 'A', readOnlyHint: true } },
      { name: 'b', annotations: { title: 'B' } },
      { name: 'c', annotations: { title: 'Own' } },
    ],
  })
})

t.test('2025-03-26: a prompt and its arguments have no title', async t => {
  const prompts = [{ name: 'a', title: 'A', arguments: [{ name: 'x', title: 'X', required: true }] }]

  for (const version of HANDSHAKES.slice(2))
    t.strictSame(shape(version, 'prompts/list', { prompts }), {
      prompts: [{ name: 'a', arguments: [{ name: 'x', required: true }] }],
    })
})

t.test('2025-03-26: structure becomes text, once, and beside what else there is', async t => {
  for (const version of ['2025-03-26', '2024-11-05']) {
    const structuredContent = { a: 1, b: [2] }
    const of = (content: JsonObject[]) => called(version, { content, structuredContent })['content']

    t.strictSame(of([]), [text('{"a":1,"b":[2]}')])
    t.strictSame(of([text('{"a":1,"b":[2]}')]), [text('{"a":1,"b":[2]}')])
    t.strictSame(of([text('{ "a": 1, "b": [2] }')]), [text('{ "a": 1, "b": [2] }')])
    t.strictSame(of([text('{"b":[2],"a":1}'), text('plain')]), [text('{"b":[2],"a":1}'), text('plain')])
    t.strictSame(of([text('{one')]), [text('{one'), text('{"a":1,"b":[2]}')])
    t.strictSame(of([{ type: 'image', data: '', mimeType: 'image/png' }]), [
      { type: 'image', data: '', mimeType: 'image/png' },
      text('{"a":1,"b":[2]}'),
    ])
  }
})

t.test('2025-03-26: a resource link becomes text that says where and what, for the same audience', async t => {
  const { content } = called('2025-03-26', { content: [BLOCKS['resource_link']!, BLOCKS['bare resource_link']!] })

  t.strictSame(content, [
    {
      type: 'text',
      text: 'Resource Entry point (main.rs): file:///project/main.rs (text/x-rust, 42 bytes)\nWhere it begins',
      annotations: { audience: ['user', 'assistant'], priority: 0.5 },
    },
    { type: 'text', text: 'Resource x: file:///x' },
  ])
})

t.test('2025-03-26: an embedded resource is annotated outside, and has no title', async t => {
  const annotations = { audience: ['user'], priority: 0.7, lastModified: '2025-05-03T14:30:00Z' }
  const resource = { uri: 'file:///a', text: 'a', title: 'A', annotations }

  for (const version of ['2025-03-26', '2024-11-05'])
    t.strictSame(called(version, { content: [{ type: 'resource', resource }] })['content'], [
      {
        type: 'resource',
        resource: { uri: 'file:///a', text: 'a' },
        annotations: { audience: ['user'], priority: 0.7 },
      },
    ])
})

t.test('2024-11-05: a tool has no annotations; content and resources keep theirs', async t => {
  const annotations = { audience: ['user'], priority: 1 }

  for (const version of ['2024-11-05', '2024-10-07']) t.notOk(listed(version).some(tool => 'annotations' in tool))
  t.match(shape('2024-11-05', 'resources/list', { resources: [{ uri: 'a:b', annotations }] }), {
    resources: [{ annotations }],
  })
  t.match(
    shape('2024-11-05', 'prompts/get', { messages: [{ role: 'user', content: { ...text('x'), annotations } }] }),
    {
      messages: [{ content: { annotations } }],
    },
  )
})

t.test('2024-11-05: audio becomes a text that holds it', async t => {
  t.strictSame(called('2024-11-05', { content: [BLOCKS['audio']!] })['content'], [
    {
      type: 'text',
      text: 'Audio (audio/wav): data:audio/wav;base64,AQIDBA==',
      annotations: { audience: ['user', 'assistant'], priority: 0.5 },
    },
  ])
})

t.test('2024-11-05: completion is no capability yet', async t => {
  const result = { capabilities: { completions: {}, tools: {} } }

  t.strictSame(shape('2025-03-26', 'initialize', result), result)
  t.strictSame(shape('2024-11-05', 'initialize', result), { capabilities: { tools: {} } })
})

t.test('a step changes what has changed, and leaves the rest as the tool gave it', async t => {
  const result = { content: [text('plain')] }

  for (const version of HANDSHAKES.slice(0, 4)) t.strictSame(called(version, result), result)
})
