// Header decoding and comparing, by the examples of the Streamable HTTP page.
import t from 'tap'
import {
  checkMethodHeader,
  checkNameHeader,
  checkParamHeaders,
  decodeHeader,
  encodeHeader,
  getHeader,
  type MirroredParam,
  mirrorParams,
} from '../../../src/protocol/headers.ts'

const MISMATCH = { name: 'McpError', code: -32020, status: 400 }

// Spec 2026-07-28: basic/transports/streamable-http, "Value Encoding".
const ENCODING_EXAMPLES: [original: string, header: string, encoded: string][] = [
  ['us-west1', 'Mcp-Param-Region', 'us-west1'],
  ['Hello, 世界', 'Mcp-Param-Greeting', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', 'Mcp-Param-Text', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', 'Mcp-Param-Text', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', 'Mcp-Param-Val', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
]

t.test('Value Encoding: each example decodes to its original and matches it', async t => {
  for (const [original, header, encoded] of ENCODING_EXAMPLES) {
    const mirrored: MirroredParam = { header: header.toLowerCase(), path: ['value'] }

    t.equal(decodeHeader(header, encoded), original)
    t.equal(encodeHeader(original), encoded)
    t.strictSame(mirrorParams({ value: original }, [mirrored]), { [mirrored.header]: encoded })
    t.doesNotThrow(() => checkParamHeaders({ [mirrored.header]: encoded }, { value: original }, [mirrored]))
    t.doesNotThrow(() => checkNameHeader({ 'mcp-name': encoded }, { name: original }, 'name'))
  }
})

t.test('Value Encoding: a value that needs Base64 does not match without it', async t => {
  for (const [original, header, encoded] of ENCODING_EXAMPLES.filter(([from, , to]) => from !== to)) {
    const mirrored: MirroredParam = { header: header.toLowerCase(), path: ['value'] }

    t.throws(
      () => checkParamHeaders({ [mirrored.header]: original }, { value: original }, [mirrored]),
      MISMATCH,
      encoded,
    )
  }
})

t.test('Value Encoding: integers are decimal, booleans lower case', async t => {
  const mirrored: MirroredParam[] = [{ header: 'mcp-param-v', path: ['v'] }]
  const right: [unknown, string][] = [
    [42, '42'],
    [-7, '-7'],
    [0, '0'],
    [42, '42.0'],
    [42, '=?base64?NDI=?='],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [true, 'true'],
    [false, 'false'],
    ['', ''],
    ['true', 'true'],
  ]
  const wrong: [unknown, string][] = [
    [42, '42 '.padEnd(5, 'x')],
    [42, '0x2A'],
    [42, '42e0'],
    [42, 'forty-two'],
    [0, ''],
    [true, 'True'],
    [true, '1'],
    ['42', '42.0'],
    ['a', 'A'],
  ]

  for (const [v, header] of right)
    t.doesNotThrow(() => checkParamHeaders({ 'mcp-param-v': header }, { v }, mirrored), header)
  for (const [v, header] of wrong)
    t.throws(() => checkParamHeaders({ 'mcp-param-v': header }, { v }, mirrored), MISMATCH, header)
})

t.test('Value Encoding: the sentinel is case-sensitive, canonical and UTF-8', async t => {
  for (const encoded of ['eA', 'eA=', 'eA===', 'eB==', 'e A=', '-_8=', '/w==', '7aCA', '!!', 'eA==\n']) {
    t.throws(() => decodeHeader('Mcp-Name', `=?base64?${encoded}?=`), MISMATCH, encoded)
  }
  t.equal(decodeHeader('Mcp-Name', '=?BASE64?eA==?='), '=?BASE64?eA==?=')
  t.equal(decodeHeader('Mcp-Name', '=?base64?eA=='), '=?base64?eA==')
  t.equal(decodeHeader('Mcp-Name', '=?base64??='), '')
})

t.test('Value Encoding: a plain value is visible ASCII, space and tab', async t => {
  t.equal(decodeHeader('Mcp-Name', ' a\tb ~'), 'a\tb ~')
  for (const raw of ['é', 'a\u0000', 'a\u007f', 'a\r', 'a\nb', '世'])
    t.throws(() => decodeHeader('Mcp-Name', raw), MISMATCH, JSON.stringify(raw))
})

t.test('Standard Request Headers: the examples of the page', async t => {
  const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'get_weather' }
  const uri = 'file:///projects/myapp/config.json'

  t.doesNotThrow(() => checkMethodHeader(headers, 'tools/call'))
  t.doesNotThrow(() => checkNameHeader(headers, { name: 'get_weather' }, 'name'))
  t.doesNotThrow(() => checkNameHeader({ 'mcp-name': uri }, { uri }, 'uri'))
  t.throws(() => checkMethodHeader(headers, 'tools/list'), MISMATCH)
  t.throws(() => checkMethodHeader({}, 'tools/call'), MISMATCH)
  t.throws(() => checkNameHeader({ 'mcp-name': 'foo' }, { name: 'bar' }, 'name'), MISMATCH)
  t.throws(() => checkNameHeader({}, { name: 'bar' }, 'name'), MISMATCH)
  t.throws(() => checkNameHeader({ 'mcp-name': 'bar' }, {}, 'name'), MISMATCH)
  t.throws(() => checkNameHeader({ 'mcp-name': '7' }, { name: 7 }, 'name'), MISMATCH)
})

t.test('a header mismatch never quotes the value', async t => {
  try {
    checkParamHeaders({ 'mcp-param-v': 'hush-1' }, { v: 'hush-2' }, [{ header: 'mcp-param-v', path: ['v'] }])
    t.fail('did not throw')
  } catch (error) {
    t.notMatch((error as Error).message, /hush/)
  }
})

t.test('Server Behavior for Custom Headers: the table', async t => {
  const mirrored: MirroredParam[] = [{ header: 'mcp-param-region', path: ['where', 'region'] }]
  const check = (headers: Record<string, string>, args: unknown) => () => checkParamHeaders(headers, args, mirrored)
  const sent = { 'mcp-param-region': 'us-west1' }

  t.doesNotThrow(check(sent, { where: { region: 'us-west1' } }), 'provided')
  t.throws(check(sent, { where: { region: 'eu' } }), MISMATCH, 'provided, but different')
  t.doesNotThrow(check({}, { where: { region: null } }), 'null')
  t.doesNotThrow(check({}, { where: {} }), 'not in arguments')
  t.doesNotThrow(check({}, {}), 'not in arguments')
  t.doesNotThrow(check({}, undefined), 'no arguments')
  t.throws(check({}, { where: { region: 'us-west1' } }), MISMATCH, 'omitted, but in the body')
  for (const args of [{ where: { region: null } }, { where: {} }, { where: 'us-west1' }, {}, undefined])
    t.throws(check(sent, args), MISMATCH, 'sent, but not in the body')
  t.doesNotThrow(check({ 'mcp-param-other': 'x' }, {}), 'not recognised')
})

t.test('what a path of properties inherits is no value', async t => {
  const mirrored: MirroredParam[] = [{ header: 'mcp-param-v', path: ['toString'] }]

  t.doesNotThrow(() => checkParamHeaders({}, {}, mirrored))
})

t.test('a header that came twice is one value with both', async t => {
  t.equal(getHeader({ a: ['x', 'y'] }, 'a'), 'x, y')
  t.equal(getHeader({ a: 'x' }, 'a'), 'x')
  t.equal(getHeader({}, 'a'), undefined)
})

t.test('mirrorParams: what is absent or null has no header, and numbers have their text', async t => {
  const mirrored = ['a', 'b', 'c', 'd'].map(name => ({ header: `mcp-param-${name}`, path: ['in', name] }))
  const args = { in: { a: null, b: 1.5, c: false } }

  t.strictSame(mirrorParams(args, mirrored), { 'mcp-param-b': '1.5', 'mcp-param-c': 'false' })
  t.doesNotThrow(() => checkParamHeaders(mirrorParams(args, mirrored), args, mirrored))
})
