// Content that is malformed leaves no tool, whichever revision asks. Spec 2026-07-28: server/tools, "Tool Result", and
// basic/index, "_meta" and "icons".
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { session } from '../../support/client/app-client.ts'

const link = (over: object) => ({ type: 'resource_link', uri: 'a://b', name: 'b', ...over })
const embedded = (over: object) => ({ type: 'resource', resource: { uri: 'a://b', text: 'x', ...over } })
const meta = (key: string) => ({ type: 'text', text: 'x', _meta: { [key]: 1 } })

const MALFORMED: [what: string, block: object, fault: RegExp][] = [
  ['a link to what is no URI', link({ uri: 'not a uri' }), /content\.0\.uri must match format "uri"/],
  ['a link without a target', link({ uri: '' }), /content\.0\.uri must match format "uri"/],
  ['a link to a relative reference', link({ uri: '/a' }), /content\.0\.uri must match format "uri"/],
  ['a link of a type that is none', link({ mimeType: 'text' }), /content\.0\.mimeType must match pattern/],
  ['an icon that is a script', link({ icons: [{ src: 'javascript:alert(1)' }] }), /icons\.0\.src must match pattern/],
  ['a resource without a URI', embedded({ uri: '' }), /content\.0\.resource\.uri must match format "uri"/],
  ['a resource of a type that is none', embedded({ mimeType: '' }), /content\.0\.resource\.mimeType must match/],
  ['a resource of neither text nor bytes', embedded({ text: undefined }), /content\.0\.resource\.text is required/],
  [
    'a resource whose bytes are no Base64',
    embedded({ text: undefined, blob: 'abcde' }),
    /content\.0\.resource\.blob is not Base64/,
  ],
  [
    'a resource with bytes and no URI',
    embedded({ uri: 'x', text: undefined, blob: '' }),
    /content\.0\.resource\.uri must match/,
  ],
  ['metadata by a malformed key', meta('bad key'), /content\.0\._meta\["bad key"\] must be a name/],
  ['metadata by a reserved key', meta('io.modelcontextprotocol/evil'), /content\.0\._meta.* is reserved for MCP/],
  ['metadata of a resource by a reserved key', embedded({ _meta: { 'dev.mcp/a': 1 } }), /content\.0\.resource\._meta/],
]

for (const [what, block, fault] of MALFORMED) {
  t.test(`result: ${what} is an invalid result`, async t => {
    const client = await session(t, { tools: [defineTool({ name: 'odd', handler: () => block })] })
    const failed = { isError: true, content: [{ type: 'text', text: fault }] }

    t.match((await call(client.app, 'tools/call', { name: 'odd' })).result, failed)
    t.match((await client.callTool('odd')).result, failed)
    t.match(client.app.logs.text, /"kind":"invalid_output"/)
  })
}

const WELL_FORMED: [what: string, block: object][] = [
  ['a link with parameters in its type', link({ mimeType: 'text/html;profile=mcp-app', icons: [{ src: 'data:,x' }] })],
  ['a link without an authority', link({ uri: 'urn:isbn:0-395-36341-1' })],
  ['a resource of no bytes', embedded({ text: undefined, blob: '' })],
  ['a resource with text of a vendor’s type', embedded({ mimeType: 'application/vnd.a.b+json; charset=utf-8' })],
]

for (const [what, block] of WELL_FORMED) {
  t.test(`result: ${what} is delivered as it is`, async t => {
    const client = await session(t, { tools: [defineTool({ name: 'right', handler: () => block })] })
    const content = [JSON.parse(JSON.stringify(block))]

    t.strictSame((await call(client.app, 'tools/call', { name: 'right' })).result.content, content)
    t.strictSame((await client.callTool('right')).result.content, content)
  })
}
