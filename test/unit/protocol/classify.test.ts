// Which era and revision a body belongs to, by the examples of the Streamable HTTP and the versioning page.
import t from 'tap'
import { classify } from '../../../src/protocol/classify.ts'
import type { McpError } from '../../../src/protocol/errors.ts'
import { META, request, VERSION } from '../../support/app.ts'

const MISMATCH = { name: 'McpError', code: -32020, status: 400 }
const UNSUPPORTED = { name: 'McpError', code: -32022, status: 400 }
const INVALID_PARAMS = { name: 'McpError', code: -32602, status: 400 }
const INVALID_REQUEST = { name: 'McpError', code: -32600, status: 400 }
const HANDSHAKES = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

const of = (version: string) => ({ 'mcp-protocol-version': version })
const modern = of(VERSION)
const meta = (version: unknown) => ({
  _meta: { [`${META}protocolVersion`]: version, [`${META}clientCapabilities`]: {} },
})
const asked = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const noted = (params?: object) => ({ jsonrpc: '2.0', method: 'notifications/x', ...(params && { params }) })
const response = { jsonrpc: '2.0', id: 1, result: {} }
const initialize = (params: object = {}) => asked('initialize', { protocolVersion: '2025-11-25', ...params })

t.test('Standard Request Headers: the examples of the page are of this revision', async t => {
  const examples = [
    request('tools/call', { name: 'get_weather', arguments: { location: 'Seattle, WA' } }),
    request('resources/read', { uri: 'file:///projects/myapp/config.json' }),
  ]

  for (const { message, headers } of examples) {
    const inbound = classify(headers, message)
    t.match(inbound, { revision: { version: VERSION, era: 'modern' }, message: { kind: 'request', id: message.id } })
  }
})

t.test('Protocol Version Header: without it a request with the metadata of this revision is refused', async t => {
  t.throws(() => classify({}, asked('tools/list', meta(VERSION))), MISMATCH)
  t.throws(() => classify({}, initialize(meta(VERSION))), MISMATCH)
  for (const key of ['protocolVersion', 'clientCapabilities', 'clientInfo'])
    t.throws(() => classify({}, asked('tools/list', { _meta: { [`${META}${key}`]: {} } })), MISMATCH, key)
})

t.test('Protocol Version Header: it must be what the body says, letter for letter', async t => {
  for (const version of ['2025-11-25', '1900-01-01', '', `${VERSION} `, VERSION.replace('-', '_'), 20260728, null])
    t.throws(() => classify(modern, asked('tools/list', meta(version))), MISMATCH, String(version))
  t.throws(() => classify(of('2025-11-25'), asked('tools/list', meta(VERSION))), MISMATCH)
  t.throws(() => classify(of(`${VERSION}, ${VERSION}`), asked('x', meta(VERSION))), MISMATCH)
})

t.test('Protocol Version Negotiation: what is not served is refused with what is, and what was asked for', async t => {
  for (const version of ['1900-01-01', '2099-12-31', 'latest', 'v999.0.0', '2025-11-25']) {
    try {
      classify(of(version), asked('tools/list', meta(version)))
      t.fail('did not throw')
    } catch (error) {
      t.match(error, UNSUPPORTED)
      t.strictSame((error as McpError).data, { supported: [VERSION, ...HANDSHAKES], requested: version })
      t.match((error as Error).message, VERSION)
    }
  }
  t.throws(() => classify(of('v999.0.0'), asked('tools/list')), UNSUPPORTED, 'by its header alone')
})

t.test('Per-request protocol fields: a body without its version has invalid params', async t => {
  t.throws(() => classify(modern, asked('tools/list')), INVALID_PARAMS)
  t.throws(() => classify(modern, asked('tools/list', { _meta: {} })), INVALID_PARAMS)
  t.throws(() => classify(modern, asked('tools/list', { _meta: 'x' })), INVALID_PARAMS)
  t.throws(() => classify(modern, initialize()), INVALID_PARAMS)
})

t.test('a notification needs the header, not the metadata; what it says must still agree', async t => {
  t.match(classify(modern, noted()), { revision: { version: VERSION }, message: { kind: 'notification' } })
  t.throws(() => classify(modern, noted(meta('2025-11-25'))), MISMATCH)
})

t.test('a response is of the era that its header names', async t => {
  t.match(classify(modern, response), { revision: { version: VERSION }, message: { kind: 'response' } })
  t.match(classify({}, response), { era: 'legacy', message: { kind: 'response' } })
})

t.test('what claims nothing of a modern revision belongs to a session', async t => {
  t.match(classify({}, initialize()), { era: 'legacy', message: { method: 'initialize' } })
  t.match(classify({ ...of('2025-11-25'), 'mcp-method': 'initialize' }, initialize()), { era: 'legacy' })
  for (const version of HANDSHAKES) {
    t.match(classify(of(version), asked('tools/list')), { era: 'legacy' }, version)
    t.match(classify(of(version), asked('tools/list', { _meta: { progressToken: 1 } })), { era: 'legacy' }, version)
  }
})

t.test('a batch belongs to a session, and to no modern revision', async t => {
  t.match(classify({}, [asked('ping')]), { era: 'legacy', batch: [{ method: 'ping' }] })
  t.match(classify(of('2025-03-26'), []), { era: 'legacy', batch: [] })
  t.throws(() => classify(modern, [asked('tools/list', meta(VERSION))]), INVALID_REQUEST)
  t.throws(() => classify(of('v999.0.0'), []), INVALID_REQUEST)
})
