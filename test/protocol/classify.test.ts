// Which revision a message belongs to, by the examples of the Streamable HTTP and the versioning page.
import t from 'tap'
import { classify } from '../../src/protocol/classify.ts'
import type { McpError } from '../../src/protocol/errors.ts'
import { readMessage } from '../../src/protocol/messages.ts'
import { META, request, VERSION } from '../helper.ts'

const MISMATCH = { name: 'McpError', code: -32020, status: 400 }
const UNSUPPORTED = { name: 'McpError', code: -32022, status: 400 }
const INVALID_PARAMS = { name: 'McpError', code: -32602, status: 400 }

const modern = { 'mcp-protocol-version': VERSION }
const meta = (version: unknown) => ({
  _meta: { [`${META}protocolVersion`]: version, [`${META}clientCapabilities`]: {} },
})
const asked = (method: string, params: object = {}) => readMessage({ jsonrpc: '2.0', id: 1, method, params })
const noted = (params?: object) => readMessage({ jsonrpc: '2.0', method: 'notifications/x', ...(params && { params }) })

t.test('Standard Request Headers: the examples of the page are of this revision', async t => {
  const examples = [
    request('tools/call', { name: 'get_weather', arguments: { location: 'Seattle, WA' } }),
    request('resources/read', { uri: 'file:///projects/myapp/config.json' }),
  ]

  for (const { message, headers } of examples) {
    const inbound = classify(headers, readMessage(message))
    t.match(inbound, { revision: { version: VERSION, era: 'modern' }, message: { kind: 'request', id: message.id } })
  }
})

t.test('Protocol Version Header: without it a request is refused', async t => {
  t.throws(() => classify({}, asked('tools/list', meta(VERSION))), MISMATCH)
  t.throws(() => classify({}, asked('tools/list')), MISMATCH)
  t.throws(() => classify({}, noted()), MISMATCH)
})

t.test('Protocol Version Header: it must be what the body says, letter for letter', async t => {
  for (const version of ['2025-11-25', '1900-01-01', '', `${VERSION} `, VERSION.replace('-', '_'), 20260728, null])
    t.throws(() => classify(modern, asked('tools/list', meta(version))), MISMATCH, String(version))
  t.throws(() => classify({ 'mcp-protocol-version': '2025-11-25' }, asked('tools/list', meta(VERSION))), MISMATCH)
  t.throws(() => classify({ 'mcp-protocol-version': `${VERSION}, ${VERSION}` }, asked('x', meta(VERSION))), MISMATCH)
})

t.test('Protocol Version Negotiation: what is not served is refused with what is, and what was asked for', async t => {
  for (const version of ['1900-01-01', '2099-12-31', 'latest']) {
    try {
      classify({ 'mcp-protocol-version': version }, asked('tools/list', meta(version)))
      t.fail('did not throw')
    } catch (error) {
      t.match(error, UNSUPPORTED)
      t.match((error as McpError).data, { supported: [VERSION], requested: version })
      t.match((error as Error).message, VERSION)
    }
  }
})

t.test('Per-request protocol fields: a body without its version has invalid params', async t => {
  t.throws(() => classify(modern, asked('tools/list')), INVALID_PARAMS)
  t.throws(() => classify(modern, asked('tools/list', { _meta: {} })), INVALID_PARAMS)
  t.throws(() => classify(modern, asked('tools/list', { _meta: 'x' })), INVALID_PARAMS)
})

t.test('a notification needs the header, not the metadata; what it says must still agree', async t => {
  t.match(classify(modern, noted()), { revision: { version: VERSION }, message: { kind: 'notification' } })
  t.throws(() => classify(modern, noted(meta('2025-11-25'))), MISMATCH)
})

t.test('a response is of the revision that its header names', async t => {
  const response = readMessage({ jsonrpc: '2.0', id: 1, result: {} })

  t.match(classify(modern, response), { revision: { version: VERSION }, message: { kind: 'response' } })
  t.throws(() => classify({}, response), MISMATCH)
})

t.test('a client that claims this revision is not taken for an old one', async t => {
  const params = { ...meta(VERSION), protocolVersion: '2025-11-25' }

  t.throws(() => classify({}, asked('initialize', params)), MISMATCH)
})
