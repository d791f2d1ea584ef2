// Plain HTTP: the tools that a caller sees, as a list and as an OpenAPI document.
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, { defineTool, Type } from '../../../../src/index.ts'
import { build, listening } from '../../../../test/support/app.ts'
import { ALICE, bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { plain } from '../../../../test/support/plain.ts'
import { everyTool } from '../../../../test/support/tools/every-tool.ts'
import { SHIPPED } from '../../../../test/support/tools/shipped.ts'
import { Documents } from '../../src/listing.ts'

const handler = () => 'ok'

/** Resolves each reference in the document, also those within tools' schemas. */
async function assertValid(t: Test, document: object) {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document) as never)
  t.ok(valid, JSON.stringify(errors))
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || '$id' in value) return
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref' && typeof each === 'string') t.ok(resolve(document, each) !== undefined, each)
      else visit(each)
    }
  }
  visit(document)
}

const resolve = (document: unknown, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((value, key) => (value as Record<string, unknown>)?.[key.replace(/~1/g, '/').replace(/~0/g, '~')], document)

t.test('GET /tools and GET /tools/NAME say what a caller needs', async t => {
  const inputSchema = Type.Object({ a: Type.Number() })
  const tool = defineTool({
    name: 'a.b',
    title: 'A',
    description: 'Does a.',
    inputSchema,
    annotations: { readOnlyHint: true },
    handler,
  })
  const app = await build(t, { tools: [tool] })

  const { body } = await plain(app, '/tools')
  const one = await plain(app, body.tools[0].url)

  const { inputSchema: listed, ...rest } = body.tools[0]
  t.strictSame(rest, {
    name: 'a.b',
    title: 'A',
    description: 'Does a.',
    annotations: { readOnlyHint: true },
    url: '/tools/a.b',
  })
  t.match(listed, { type: 'object', required: ['a'] })
  t.strictSame(one.body, body.tools[0])
  t.equal((await plain(app, '/tools/nothing')).status, 404)
  t.equal((await plain(app, '/tools', { headers: { accept: 'text/html' } })).status, 406)
  const head = await plain(app, '/tools', { method: 'HEAD' })
  t.strictSame([head.status, head.text], [200, ''])
})

t.test('all pages come at once, and a server without tools has an empty list', async t => {
  const names = Array.from({ length: 7 }, (_, n) => `tool-${n}`)
  const app = await build(t, { tools: names.map(name => defineTool({ name, handler })), pageSize: 2 })

  t.strictSame(
    (await plain(app, '/tools')).body.tools.map(({ name }: { name: string }) => name),
    names,
  )
  t.strictSame((await plain(await build(t), '/tools')).body, { tools: [] })
  t.strictSame(
    Object.keys((await plain(await build(t), '/openapi.json')).body.components.schemas).includes('Problem'),
    true,
  )
})

t.test('lists and the document show what the caller may call, and no more', async t => {
  const app = await guarded(t, { plainHttp: true })
  const named = async (headers: Record<string, string>) => {
    const list = (await plain(app, '/tools', { headers })).body.tools.map(({ name }: { name: string }) => name)
    const document = (await plain(app, '/openapi.json', { headers })).body
    const calls = Object.values(document.paths as Record<string, { post?: { tags?: string[]; operationId: string } }>)
    t.strictSame(
      calls.flatMap(({ post }) => (post?.tags?.[0] === 'tools' ? [post.operationId] : [])),
      list.flatMap((name: string) => [name, `${name}.answer`]),
    )
    await assertValid(t, document)
    t.strictSame(document.security, [{ bearer: [] }])
    return list
  }

  t.strictSame(await named(ALICE), ['asks', 'closed', 'free'])
  t.strictSame(await named(bearer('')), ['free'])
  const { paths, servers } = (await plain(app, '/openapi.json', { headers: ALICE })).body
  t.strictSame(paths['/tools/closed'].post.security, [{ bearer: ['read'] }])
  t.strictSame(servers, [{ url: 'https://tools.example' }])
})

t.test('the document says who makes tokens, if the server knows', async t => {
  const read = async (options: object) => {
    const app = await guarded(t, { plainHttp: true, ...options })
    return (await plain(app, '/openapi.json', { headers: ALICE })).body.components.securitySchemes.bearer
  }
  const scheme = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }

  t.match(
    (await read({ authorizationServers: ['https://as.example'] })).description,
    /^A token of https:\/\/as\.example for the audience https:\/\/tools\.example/,
  )
  t.strictSame(await read({ jwt: { issuer: undefined }, authorizationServers: [] }), scheme)
})

t.test('an ETag saves what has not changed, until it has', async t => {
  const app = await build(t, { tools: [defineTool({ name: 'a', handler })] })

  for (const url of ['/tools', '/openapi.json', '/tools/a']) {
    const etag = String((await plain(app, url)).headers['etag'])
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, text } = await plain(app, url, { headers: { 'if-none-match': known } })
      t.strictSame([status, text], [304, ''], `${url} ${known}`)
    }
    t.equal((await plain(app, url, { headers: { 'if-none-match': '"x"' } })).status, 200)
  }
  const { etag } = (await plain(app, '/openapi.json')).headers
  app.toolrack.add(defineTool({ name: 'b', handler }))
  const changed = await plain(app, '/openapi.json', { headers: { 'if-none-match': String(etag) } })
  t.equal(changed.status, 200)
  t.ok('/tools/b' in changed.body.paths)
})

t.test('the document follows what the list of MCP does not say, such as that a tool can be a task', async t => {
  const app = await build(t, { tools: [defineTool({ name: 'a', handler })] })
  const read = async () => (await plain(app, '/openapi.json')).body.paths['/tools/a'].post

  t.notOk((await read()).responses[202])
  app.toolrack.add(defineTool({ name: 'a', handler, task: 'optional' }))
  t.ok((await read()).responses[202])
})

t.test('the document is valid for every shipped tool', async t => {
  const names = Object.keys(await everyTool(t))
  const { body } = await plain(await build(t, SHIPPED), '/openapi.json')

  await assertValid(t, body)
  for (const name of names) t.ok(body.paths[`/tools/${name}`], name)
})

t.test('it is valid for odd schemas, and their references lead where they led', async t => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, all: { $ref: '#' } } }
  const schemas: Record<string, object> = {
    none: { type: 'object' },
    booleans: { type: 'object', properties: { a: true, b: false }, additionalProperties: false },
    recursive: { type: 'object', properties: { first: { $ref: '#/$defs/node' } }, $defs: { node } },
    draft07: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { $ref: '#/definitions/b' }, t: { type: 'array', items: [{ type: 'string' }] } },
      definitions: { b: { type: 'string' } },
    },
    union: { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }], properties: { a: {}, b: {} } },
    named: { type: 'object', $defs: { x: { $anchor: 'x', type: 'string' } }, properties: { a: { $ref: '#x' } } },
    typeBox: Type.Object({ tree: Type.Recursive(self => Type.Object({ all: Type.Array(self) })) }),
    typeBoxRoot: Type.Recursive(self => Type.Object({ all: Type.Array(self) })),
    escaped: { type: 'object', properties: { 'a/b~c': { type: 'string' }, d: { $ref: '#/properties/a~1b~0c' } } },
  }
  const tools = Object.entries(schemas).map(([name, inputSchema]) =>
    defineTool({ name, inputSchema: inputSchema as never, handler }),
  )
  const output = defineTool({
    name: 'output',
    outputSchema: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } } as never,
    handler: () => [1] as never,
  })
  const app = await build(t, { tools: [...tools, output] })

  const { body } = await plain(app, '/openapi.json')

  const component = (name: string) => body.components.schemas[name]
  const ref = (name: string) => `#/components/schemas/${name}`
  t.equal(component('recursive.input').properties.first.$ref, ref('recursive.input.node'))
  t.equal(component('recursive.input.node').properties.all.$ref, ref('recursive.input'))
  t.equal(component('draft07.input').properties.a.$ref, ref('draft07.input.b'))
  t.strictSame(component('draft07.input').properties.t.prefixItems, [{ type: 'string' }])
  t.equal(component('output.output').items.$ref, ref('output.output.n'))
  t.equal(component('escaped.input').properties.d.$ref, component('escaped.input').properties['a/b~c'].$ref)
  t.equal(component('named.input').properties.a.$ref, ref('named.input.x'))
  t.strictSame(component('named.input.x'), { type: 'string' })
  t.equal(component('typeBox.input').properties.tree.$ref, ref('typeBox.input.tree'))
  t.equal(component('typeBoxRoot.input').properties.all.items.$ref, ref('typeBoxRoot.input'))
  await assertValid(t, body)
})

const DEEP = { type: 'object', properties: { tags: { type: 'array' } } }
const FIELDS = Type.Object({
  a: Type.Number(),
  tags: Type.Optional(Type.Array(Type.String())),
  range: Type.Optional(Type.Object({ from: Type.Number() })),
  deep: Type.Optional(Type.Unsafe(DEEP)),
  data: Type.Optional(Type.String({ contentEncoding: 'base64' })),
})

t.test('forms and queries: lists again and again, objects in brackets, what is deeper as JSON', async t => {
  const reads = { name: 'reads', inputSchema: FIELDS, annotations: { readOnlyHint: true }, handler }
  const { paths } = (await plain(await build(t, { tools: [defineTool(reads)] }), '/openapi.json')).body
  const { get, post } = paths['/tools/reads']

  const [list, object] = [
    { style: 'form', explode: true },
    { style: 'deepObject', explode: true },
  ]
  const encoding = { tags: list, range: object, deep: { contentType: 'application/json' } }
  t.strictSame(post.requestBody.content['application/x-www-form-urlencoded'].encoding, encoding)
  const parts = post.requestBody.content['multipart/form-data']
  t.match(parts, { encoding, schema: { required: ['a'], properties: { data: { format: 'binary' } } } })
  t.match(
    get.parameters.map(({ schema, content, ...rest }: Record<string, unknown>) => rest),
    [
      { name: 'a', in: 'query', required: true },
      { name: 'tags', in: 'query', ...list },
      { name: 'range', in: 'query', ...object },
      { name: 'deep', in: 'query' },
      { name: 'data', in: 'query' },
    ],
  )
})

t.test(
  'a text or an object is a text in forms and queries, as the server reads it: JSON would be in quotes',
  async t => {
    const range = { type: 'object', properties: { from: { type: 'number' } } }
    const properties = {
      either: { anyOf: [{ type: 'string' }, range] },
      texts: { type: ['string', 'array'], items: range },
      maybe: { anyOf: [range, { type: 'null' }] },
      sum: { type: ['number', 'object'] },
      open: { type: 'object' },
    }
    const inputSchema = { type: 'object', properties }
    const reads = defineTool({
      name: 'reads',
      inputSchema,
      annotations: { readOnlyHint: true },
      handler: args => ({ args }),
    })
    const app = await build(t, { tools: [reads] })

    const { get, post } = (await plain(app, '/openapi.json')).body.paths['/tools/reads']
    const json = { contentType: 'application/json' }
    const object = { style: 'deepObject', explode: true }
    t.strictSame(post.requestBody.content['application/x-www-form-urlencoded'].encoding, {
      maybe: object,
      sum: json,
      open: json,
    })
    const [either, texts, maybe, sum] = get.parameters
    for (const each of [either, texts]) t.match(each, { schema: { type: 'string', description: /JSON/ } })
    t.match([maybe, sum], [object, { content: { 'application/json': {} } }])
    const query = `either=abc&texts=${encodeURIComponent('[{"from":1}]')}&maybe[from]=1&sum=5`
    t.strictSame((await plain(app, `/tools/reads?${query}`)).body.args, {
      either: 'abc',
      texts: [{ from: 1 }],
      maybe: { from: 1 },
      sum: 5,
    })
  },
)

t.test('GET of each tool is described where it is, and so are the answers', async t => {
  const tools = [
    defineTool({ name: 'acts', handler }),
    defineTool({ name: 'reads', annotations: { readOnlyHint: true }, handler }),
    defineTool({ name: 'tasks', task: 'optional', handler }),
  ]
  const { paths } = (await plain(await build(t, { tools }), '/openapi.json')).body

  t.strictSame(Object.keys(paths), [
    '/tools/acts',
    '/tools/acts/answers',
    '/tools/reads',
    '/tools/reads/answers',
    '/tools/tasks',
    '/tools',
    '/tools/files/{id}/{name}',
    '/tools/tasks/{id}',
    '/tools/tasks/{id}/answers',
  ])
  t.equal(paths['/tools/acts'].get.operationId, 'acts.describe')
  t.equal(paths['/tools/reads'].get.operationId, 'reads.read')
})

t.test('a result with content beside its structure is described so', async t => {
  const outputSchema = Type.Object({ n: Type.Number() })
  const tools = (['structure', 'both', 'own'] as const).map(text =>
    defineTool({ name: text, outputSchema, text, handler: () => ({ n: 1 }) }),
  )
  const { paths } = (await plain(await build(t, { tools }), '/openapi.json')).body
  const schemaOf = (name: string) => paths[`/tools/${name}`].post.responses[200].content['application/json'].schema

  t.strictSame(schemaOf('structure'), { $ref: '#/components/schemas/structure.output' })
  for (const name of ['both', 'own']) t.match(schemaOf(name).anyOf[0].required, ['content', 'structuredContent'])
})

t.test('the server of the document is the one that the client has found', async t => {
  const { port } = await listening(t, { tools: [] })
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    const { servers } = (await (await fetch(`http://${host}/openapi.json`)).json()) as { servers: object[] }
    t.strictSame(servers, [{ url: `http://${host}` }])
  }
})

t.test('tasks and idempotency keys stand at the tools that have them', async t => {
  const tools = [
    defineTool({ name: 'plain', handler }),
    defineTool({ name: 'task', task: 'optional', handler }),
    defineTool({ name: 'keyed', idempotency: true, handler }),
  ]
  const { paths } = (await plain(await build(t, { tools }), '/openapi.json')).body
  const parameters = (name: string) =>
    paths[`/tools/${name}`].post.parameters?.map((each: { $ref: string }) => each.$ref.split('/').at(-1))

  t.strictSame(
    [parameters('plain'), parameters('task'), parameters('keyed')],
    [undefined, ['Prefer'], ['IdempotencyKey']],
  )
  t.strictSame(
    ['plain', 'task'].map(name => '202' in paths[`/tools/${name}`].post.responses),
    [false, true],
  )
})

t.test('in an app of its own paths: off unless it is asked for, and behind a prefix', async t => {
  const tools = [defineTool({ name: 'slow', task: 'required', handler })]
  const off = Fastify()
  t.teardown(() => off.close())
  await off.register(toolrack, { tools })
  t.equal((await plain(off, '/tools')).status, 404)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async scope => scope.register(toolrack, { tools, plainHttp: true, tasks: { inlineMs: 0 } }), {
    prefix: '/api',
  })

  const { body } = await plain(app, '/api/tools')
  t.equal(body.tools[0].url, '/api/tools/slow')
  t.strictSame((await plain(app, '/api/tools/')).body, body)
  const { servers } = (await plain(app, '/api/openapi.json')).body
  t.match(servers[0].url, /\/api$/)
  const begun = await plain(app, '/api/tools/slow', { method: 'POST' })
  t.ok([200, 202].includes(begun.status))
})

t.test('in an app without HEAD for its own paths, these have it: Allow promises it', async t => {
  const app = Fastify({ exposeHeadRoutes: false })
  t.teardown(() => app.close())
  await app.register(toolrack, { tools: [defineTool({ name: 'a', handler })], plainHttp: true })

  for (const path of ['/tools', '/tools/a', '/openapi.json'])
    t.equal((await plain(app, path, { method: 'HEAD' })).status, 200, path)
})

t.test('a document is made once for all hosts, and differs by its server alone', async t => {
  let made = 0
  const { getOrCreate } = Documents.prototype
  const counting: typeof getOrCreate = function (this: Documents, key, create) {
    return getOrCreate.call(this, key, () => {
      made++
      return create()
    })
  }
  t.intercept(Documents.prototype, 'getOrCreate', { value: counting })
  const app = await build(t, { tools: [defineTool({ name: 'a', handler })] })
  const get = (host: string) => plain(app, '/openapi.json', { headers: { host } })

  const [one, other] = [await get('localhost:1'), await get('localhost:2')]

  t.equal(made, 1)
  t.strictSame(
    [one.body.servers, other.body.servers],
    [[{ url: 'http://localhost:1' }], [{ url: 'http://localhost:2' }]],
  )
  t.strictSame({ ...one.body, servers: [] }, { ...other.body, servers: [] })
  t.not(one.headers['etag'], other.headers['etag'])
})

t.test('the setting turns it off; the address that it binds decides without one', async t => {
  const { url } = await listening(t, { plainHttp: false })
  t.equal((await fetch(new URL('/tools', url))).status, 404)
  const isOn = async (options: object) => (await plain(await build(t, options), '/tools')).status === 200
  t.ok(await isOn({}))
  t.notOk(await isOn({ host: '0.0.0.0', allowAnonymous: true }))
  t.ok(await isOn({ host: '0.0.0.0', allowAnonymous: true, plainHttp: true }))
})

t.test('the endpoint cannot have its paths', async t => {
  for (const mcpPath of ['/tools', '/openapi.json', '/tools/mcp']) {
    const message = /mcpPath: expected a path of its own/
    await t.rejects(build(t, { mcpPath, plainHttp: true }), { message }, mcpPath)
    const app = await build(t, { mcpPath })
    t.equal((await plain(app, '/tools/x', { method: 'POST' })).status === 404, true, 'off by default')
  }
})
