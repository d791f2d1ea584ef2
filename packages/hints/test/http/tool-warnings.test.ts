// What is allowed in a tool and is likely a mistake: the tool is served, and the log says what to write.
import t, { type Test } from 'tap'
import { defineTool } from '../../../../src/index.ts'
import type { AnySchema } from '../../../../src/registry/schema-types.ts'
import { type App, build } from '../../../../test/support/app.ts'
import { names } from '../../../../test/support/tools-folder.ts'

const handler = () => ''
const described = defineTool({ name: 'described', description: 'Says nothing.', handler })
const bare = defineTool({ name: 'bare', handler })
const warnings = ({ logs }: App) => logs.lines.filter(({ msg }) => msg === 'likely mistake in a tool')

t.test('a tool of a program without a description is one warning, and served', async t => {
  const app = await build(t, { tools: [described, bare] })

  t.match(warnings(app), [{ level: 40, tool: 'bare', reason: /^has no description, .*; add description: '/ }])
  t.equal(warnings(app).length, 1)
  t.strictSame(await names(app), ['bare', 'described'])
})

t.test('a description of blanks is none; `add` warns, too', async t => {
  const app = await build(t)

  app.toolrack.add(defineTool({ ...bare, description: ' ' }))

  t.match(warnings(app), [{ tool: 'bare', reason: /no description/ }])
})

t.test('a timeout in seconds and an annotation that is unknown are warnings; common ones are none', async t => {
  const fields = { timeout: 30, annotations: { readonly: true, audience: 'all' } as object }
  const app = await build(t, {
    tools: [defineTool({ ...described, ...fields }), defineTool({ ...described, name: 'fine', timeout: 100 })],
  })

  t.match(warnings(app), [
    { tool: 'described', reason: 'timeout: 30 is milliseconds; 30 s is 30_000' },
    { tool: 'described', reason: 'annotations.readonly means nothing; did you mean readOnlyHint?' },
  ])
  t.equal(warnings(app).length, 2)
})

const MINUTES = [60, 120, 300, 600]
for (const timeout of [...MINUTES, 900]) {
  t.test(`timeout: ${timeout} is likely minutes in seconds, and a warning`, async t => {
    const app = await build(t, { tools: [defineTool({ ...described, timeout })] })

    const fix = MINUTES.includes(timeout) ? `${timeout} s is ${timeout}_000` : '600_000 (10 min) is the most'
    t.match(warnings(app), [{ tool: 'described', reason: `timeout: ${timeout} is milliseconds; ${fix}` }])
  })
}

for (const timeout of ['30 s', '30 ms', 100, 150, 200, 250, 400, 500, 750, 800, 1000, 1200]) {
  t.test(`timeout: ${JSON.stringify(timeout)} may be meant as it is, and is no warning`, async t => {
    t.strictSame(warnings(await build(t, { tools: [defineTool({ ...described, timeout })] })), [])
  })
}

for (const timeWindow of [60, '60', 500]) {
  t.test(`timeWindow: ${JSON.stringify(timeWindow)} is likely meant as seconds, and a warning`, async t => {
    const app = await build(t, { tools: [defineTool({ ...described, rateLimit: { max: 5, timeWindow } })] })

    const reason = `rateLimit.timeWindow: ${timeWindow} is milliseconds; write timeWindow: '${timeWindow} seconds'`
    t.match(warnings(app), [{ tool: 'described', reason }])
  })
}

for (const timeWindow of ['60 seconds', '500ms', 1000, 60_000]) {
  t.test(`timeWindow: ${JSON.stringify(timeWindow)} is no warning`, async t => {
    const tools = [defineTool({ ...described, rateLimit: { max: 5, timeWindow } })]

    t.strictSame(warnings(await build(t, { tools })), [])
  })
}

t.test('a tool that the operator left out is no warning', async t => {
  t.strictSame(warnings(await build(t, { tools: [bare], toolsExclude: 'bare' })), [])
})

const mirrored = (argument: string, property: object = {}, header = 'X') => ({
  type: 'object',
  properties: {
    in: { type: 'object', properties: { [argument]: { type: 'string', 'x-mcp-header': header, ...property } } },
  },
})
const serve = (t: Test, schemas: readonly AnySchema[]) =>
  build(t, { tools: schemas.map((inputSchema, index) => defineTool({ ...described, name: `t${index}`, inputSchema })) })

const SECRETS = ['token', 'apiKey', 'api_key', 'password', 'authorization', 'Session-Id', 'clientSecret']
t.test('x-mcp-header on an argument with the name of a secret is a warning, and the tool is served', async t => {
  const app = await serve(
    t,
    SECRETS.map(name => mirrored(name)),
  )

  t.strictSame(
    warnings(app).map(({ tool, reason }) => [tool, reason]),
    SECRETS.map((name, index) => [
      `t${index}`,
      `inputSchema in.${name}: x-mcp-header puts what looks like a secret into mcp-param-x, ` +
        'which proxies see and may log; leave x-mcp-header out',
    ]),
  )
  t.equal((await names(app)).length, SECRETS.length)
})

t.test('so it is on what the header or the schema calls a secret', async t => {
  const schemas = [
    mirrored('value', {}, 'Authorization'),
    mirrored('value', { format: 'password' }),
    mirrored('value', { writeOnly: true }),
    mirrored('pin', { type: 'integer' }),
  ]

  const found = warnings(await serve(t, schemas))

  t.equal(found.length, schemas.length)
  for (const { reason } of found) t.match(reason, /x-mcp-header .* leave x-mcp-header out$/)
})

t.test('x-mcp-header on other arguments is no warning, nor is a secret without it', async t => {
  const app = await serve(t, [
    mirrored('region', {}, 'Region'),
    mirrored('maxTokens', { type: 'integer' }),
    mirrored('hasPassword', { type: 'boolean' }),
    mirrored('token_type', { enum: ['bearer', 'mac'] }),
    mirrored('token', { const: 'none' }),
    ...[
      ...['pageToken', 'next_page_token', 'tokenizer', 'tokenType', 'passwordPolicy', 'cookiePolicy'],
      'hasPassword',
    ].map(name => mirrored(name, {}, name)),
    { type: 'object', properties: { token: { type: 'string' } } },
  ])

  t.strictSame(warnings(app), [])
})

t.test('what other tools write beside a schema is data: no warning, and no pattern', async t => {
  const data = { propertyName: 'k', item: 'apple', types: ['x'], requires: 1, pattern: '(' }
  const keywords = ['discriminator', 'example', 'xml', 'externalDocs', 'errorMessage', 'x-ui']
  const app = await serve(
    t,
    keywords.map(keyword => ({ type: 'object', properties: { a: { type: 'object', [keyword]: data } } })),
  )

  t.strictSame(warnings(app), [])
  t.equal((await names(app)).length, keywords.length)
})

t.test('keywords of 2019-09 that refer are warnings, since they would refer to nothing', async t => {
  const inputSchema = { type: 'object', properties: { next: { $recursiveRef: '#' } } }
  const app = await build(t, { tools: [defineTool({ name: 'a', description: 'A.', inputSchema, handler: () => '' })] })

  t.match(
    app.logs.lines.filter(({ msg }) => msg === 'likely mistake in a tool'),
    [{ reason: 'inputSchema: properties.next.$recursiveRef means nothing; did you mean $dynamicRef?' }],
  )
})

t.test('a property may have the name of such a keyword', async t => {
  const inputSchema = {
    type: 'object',
    properties: { example: { tipe: 'string' }, 'x-ui': { pattern: '^a', tipe: 1 } },
  }

  t.match(warnings(await serve(t, [inputSchema])), [
    { reason: /properties\.example\.tipe means nothing; did you mean type\?$/ },
    { reason: /properties\.x-ui\.tipe means nothing/ },
  ])
})
