// The call of the form in other languages.
import t from 'tap'
import { toCodeTokens } from '../../app/src/calls/code-tokens.ts'
import { minify } from '../../app/src/calls/literals.ts'
import { createCurl, createMessage, createPython, createTypeScript } from '../../app/src/calls/snippets.ts'
import { createParamHeaders, encodeHeader } from '../../app/src/client/mirrored-params.ts'
import { toPublicUrl } from '../../app/src/client/public-url.ts'

const CONTEXT = {
  tool: 'get_price',
  argsText: `{"sku":"it's"}`,
  url: 'https://tools.example/mcp',
  plainHttp: undefined,
  needsToken: false,
  revision: '2026-07-28',
}
/** Numbers that JavaScript would write in another way. */
const NUMBERS = '{ "big": 12345678901234567890, "price": 1.50, "far": 1e400 }'

t.test('curl by plain HTTP', async t => {
  const plainHttp = 'https://tools.example/tools'
  const text = createCurl({ ...CONTEXT, plainHttp, needsToken: true, ownHeaders: { 'x-tenant': "a'b" } })

  t.equal(
    text,
    `curl https://tools.example/tools/get_price \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'x-tenant: a'\\''b' \\
  --json '{"sku":"it'\\''s"}'`,
  )
})

t.test('curl by MCP: the newest revision, which needs no session, whatever the page speaks', async t => {
  for (const revision of ['2026-07-28', '2025-11-25']) {
    const text = createCurl({ ...CONTEXT, revision, paramHeaders: { 'Mcp-Param-Region': 'eu' } })
    t.match(text, /^curl -N https:\/\/tools\.example\/mcp/)
    for (const part of ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Name: get_price', 'Mcp-Param-Region: eu'])
      t.ok(text.includes(`-H '${part}'`), part)
    t.match(text, /io\.modelcontextprotocol\/protocolVersion":"2026-07-28"/)
  }
})

t.test('the message of MCP: the envelope of the newest revision, none before', async t => {
  t.match(JSON.parse(createMessage(CONTEXT)), {
    method: 'tools/call',
    params: { name: 'get_price', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
  })
  t.notOk(JSON.parse(createMessage({ ...CONTEXT, revision: '2025-06-18' })).params._meta)
})

t.test('the token comes from the environment', async t => {
  t.notMatch(createTypeScript(CONTEXT), /Authorization/)
  t.match(createTypeScript({ ...CONTEXT, needsToken: true }), /Bearer \$\{process\.env\.TOKEN\}/)
  t.notMatch(createPython(CONTEXT), /httpx2/)
  t.match(createPython({ ...CONTEXT, needsToken: true }), /"Bearer " \+ os\.environ\["TOKEN"\]/)
})

t.test('Python is a script that runs', async t => {
  t.equal(
    createPython({ ...CONTEXT, argsText: '{"on":true,"off":false,"none":null,"text":"a\\/b \\u00e9"}' }),
    `import asyncio

from mcp import Client


async def main():
    async with Client("https://tools.example/mcp") as client:
        result = await client.call_tool("get_price", {
            "on": True,
            "off": False,
            "none": None,
            "text": "a/b é",
        })
        print(result.structured_content or result.content)


asyncio.run(main())`,
  )
})

t.test('numbers are those that are written', async t => {
  const context = { ...CONTEXT, argsText: NUMBERS, plainHttp: 'https://tools.example/tools' }
  for (const create of [createCurl, createTypeScript, createPython, createMessage])
    for (const number of ['12345678901234567890', '1.50', '1e400']) t.ok(create(context).includes(number), number)
  t.equal(minify(NUMBERS), '{"big":12345678901234567890,"price":1.50,"far":1e400}')
})

t.test('names that TypeScript cannot write stay strings, and none sets a prototype', async t => {
  const text = createTypeScript({ ...CONTEXT, argsText: '{"a-b":1,"ok":2,"__proto__":{"x":1}}' })
  t.match(text, /'a-b': 1, ok: 2, \['__proto__'\]: \{ x: 1 \}/)
})

t.test('colours: strings, numbers and words of the language', async t => {
  const kinds = (code: string, language: 'typescript' | 'python' | 'curl') =>
    toCodeTokens(code, language).map(({ kind, text }) => `${kind} ${text}`)
  t.strictSame(kinds("const a = 'it\\'s' + 7", 'typescript'), [
    'word const',
    'key  a = ',
    "string 'it\\'s'",
    'key  + ',
    'number 7',
  ])
  t.strictSame(kinds('curl -N http://a:3000/x', 'curl'), ['word curl', 'key  -N http://a:3000/x'])
  t.strictSame(kinds('x = None', 'python'), ['key x = ', 'word None'])
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
