import t from 'tap'
import { createParamHeaders, encodeHeader } from '../../../console/src/client/mirrored-params.ts'
import { toPublicUrl } from '../../../console/src/client/public-url.ts'
import { createCurl, createMcpJson, createTypeScript } from '../../../console/src/tools/snippets.ts'

const CONTEXT = {
  tool: 'get_price',
  args: { sku: "it's" },
  url: 'https://tools.example/mcp',
  plainHttp: undefined,
  needsToken: false,
  revision: '2026-07-28',
}

t.test('curl by plain HTTP', async t => {
  const text = createCurl({ ...CONTEXT, plainHttp: 'https://tools.example/tools', needsToken: true })

  t.equal(
    text,
    `curl 'https://tools.example/tools/get_price' \\
  -H "Authorization: Bearer $TOKEN" \\
  --json '{"sku":"it'\\''s"}'`,
  )
})

t.test('curl by MCP: the newest revision, which needs no session, whatever the page speaks', async t => {
  for (const revision of ['2026-07-28', '2025-11-25']) {
    const text = createCurl({ ...CONTEXT, revision, paramHeaders: { 'Mcp-Param-Region': 'eu' } })
    t.match(text, /^curl -N 'https:\/\/tools\.example\/mcp'/)
    for (const part of ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Name: get_price', 'Mcp-Param-Region: eu'])
      t.ok(text.includes(`-H '${part}'`), part)
    t.match(text, /io\.modelcontextprotocol\/protocolVersion":"2026-07-28"/)
  }
})

t.test('MCP as JSON: the envelope of the newest revision, none before', async t => {
  t.match(JSON.parse(createMcpJson(CONTEXT)), {
    method: 'tools/call',
    params: { name: 'get_price', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
  })
  t.notOk(JSON.parse(createMcpJson({ ...CONTEXT, revision: '2025-06-18' })).params._meta)
})

t.test('TypeScript: the token comes from the environment', async t => {
  t.notMatch(createTypeScript(CONTEXT), /Authorization/)
  t.match(createTypeScript({ ...CONTEXT, needsToken: true }), /Bearer \$\{process\.env\.TOKEN\}/)
})

t.test('headers that mirror arguments', async t => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const schema = {
    properties: {
      region,
      deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
      other: {},
    },
  }
  t.strictSame(createParamHeaders(schema, { region: 'eu', deep: { n: 7 }, other: 'x' }), {
    'Mcp-Param-Region': 'eu',
    'Mcp-Param-N': '7',
  })
  t.strictSame(createParamHeaders(schema, { region: null }), {})
  t.equal(encodeHeader('Zürich'), '=?base64?WsO8cmljaA==?=')
  t.equal(encodeHeader('=?base64?x?='), '=?base64?PT9iYXNlNjQ/eD89?=')
  t.equal(encodeHeader(' padded '), '=?base64?IHBhZGRlZCA=?=')
})

t.test('the URL of another door, as other programs use it', async t => {
  const cases = [
    ['../mcp', 'http://localhost:3000/mcp', '../tools', 'http://localhost:3000/tools'],
    ['../mcp', 'https://a.example/prefix/mcp', '../tools', 'https://a.example/prefix/tools'],
    ['../api/mcp', 'https://a.example/x/api/mcp', '../tools', 'https://a.example/x/tools'],
  ] as const
  for (const [endpoint, publicUrl, path, url] of cases) t.equal(toPublicUrl({ endpoint, publicUrl }, path), url)
})
