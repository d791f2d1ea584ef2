// Key names of `_meta`. Spec 2026-07-28: basic/index, "_meta".
import t from 'tap'
import { createServer, definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import { findMetaIssue } from '../../../src/registry/content.ts'
import { call } from '../../support/app.ts'
import { session } from '../../support/client/app-client.ts'

const MALFORMED = [
  'bad key',
  'a-',
  '-a',
  '_a',
  'ü',
  'a\n',
  '/a',
  'a//b',
  'a/b/c',
  '1a/b',
  'a-/b',
  'a..b/c',
  '.a/b',
  'a_b/c',
]
const RESERVED = [
  'io.modelcontextprotocol/evil',
  'io.modelcontextprotocol/clientInfo',
  'org.modelcontextprotocol.api/a',
  'dev.mcp/',
  'com.mcp.tools/a',
  'IO.ModelContextProtocol/a',
]
const FREE = [
  'a',
  '0',
  'a_b-c.D',
  'a/',
  'ui',
  'ui/resourceUri',
  'traceparent',
  'progressToken',
  'com.example/a',
  'com.example.mcp/a',
  'mcp/a',
  'modelcontextprotocol/a',
  'io.mcp.a',
  'io.modelcontextprotocol/serverInfo',
  'io.modelcontextprotocol/related-task',
  'io.modelcontextprotocol/ui',
]

for (const key of MALFORMED) {
  t.test(`${JSON.stringify(key)} is no key of metadata`, async t => {
    t.match(findMetaIssue({ a: 1, [key]: 1 }), `_meta[${JSON.stringify(key)}] must be a name`)
  })
}

for (const key of RESERVED) {
  t.test(`${key} is reserved`, async t => {
    t.equal(findMetaIssue({ a: 1, [key]: 1 }), `_meta["${key}"] is reserved for MCP`)
  })
}

t.test('any other key is free, or one that a server may say', async t => {
  for (const key of FREE) t.equal(findMetaIssue({ [key]: 1 }), undefined, key)
})

const handler = () => 'ok'
const all = (_meta: Record<string, unknown>) => ({
  tools: [defineTool({ name: 'a', _meta, handler })],
  resources: [
    defineResource({ name: 'a', uri: 'a:b', _meta, handler }),
    defineResource({ name: 'a', uriTemplate: 'a:{b}', _meta, handler }),
  ],
  prompts: [definePrompt({ name: 'a', _meta, handler })],
})

t.test('a definition with a key that it may not have is refused, with what and where', async t => {
  const refused: AggregateError = await createServer(all({ 'com.mcp/a': 1 })).catch(error => error)

  t.strictSame(
    refused.errors.map(({ message }) => message),
    [
      'tool "a": _meta["com.mcp/a"] is reserved for MCP',
      'resource "a": _meta["com.mcp/a"] is reserved for MCP',
      'resource "a": _meta["com.mcp/a"] is reserved for MCP',
      'prompt "a": _meta["com.mcp/a"] is reserved for MCP',
    ],
  )
})

t.test('a definition with keys that it may have is listed with them', async t => {
  const _meta = Object.fromEntries(FREE.map(key => [key, { key }]))
  const client = await session(t, all(_meta))

  for (const [method, member] of [
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const) {
    t.strictSame((await call(client.app, method)).result[member][0]._meta, _meta)
    t.strictSame((await client.call(method)).result[member][0]._meta, _meta)
  }
})
