// A definition given in code that cannot be served is refused with what and where, at the start and by `add`.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, {
  createServer,
  definePrompt,
  defineResource,
  defineTool,
  type ToolDefinition,
  type ToolrackOptions,
} from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { freePort } from '../../support/free-port.ts'

const handler = () => 'ok'
const good = defineTool({ name: 'good', handler })

/** What the start of a server says of a definition that stands beside a good one. */
async function refusal(definition: object, kind: 'tools' | 'resources' | 'prompts' = 'tools'): Promise<Error> {
  const given = kind === 'tools' ? [definition, good] : [definition]
  return createServer({ [kind]: given, logLevel: 'silent' }).then(
    () => new Error('it was served'),
    error => error,
  )
}

/** A Fastify app as most are at first: without a logger. */
function quietApp(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  return app
}

const object = (properties: object) => ({ type: 'object', properties })
const nested = (depth: number): object => (depth === 0 ? { type: 'string' } : object({ a: nested(depth - 1) }))
const circular: Record<string, unknown> = { type: 'object' }
circular['self'] = circular

const tools: [what: string, fields: object, reason: RegExp][] = [
  ['no name', { name: undefined }, /tool \(unnamed\): name is required/],
  ['an empty name', { name: '' }, /tool "": name must match/],
  ['a name with a space', { name: 'a b' }, /tool "a b": name must match/],
  ['a name with a slash', { name: 'a/b' }, /tool "a\/b": name must match/],
  ['a name that is no ASCII', { name: 'tür' }, /tool "tür": name must match/],
  ['a name that is too long', { name: 'a'.repeat(129) }, /name must match/],
  ['a name that is no text', { name: 5 }, /tool \(unnamed\): name must be string/],
  ['a field that is unknown', { inputschema: {} }, /tool "bad": inputschema is not a known property/],
  ['a title that is no text', { title: 5 }, /title must be string/],
  ['an annotation that is no flag', { annotations: { readOnlyHint: 'yes' } }, /annotations\.readOnlyHint must be bool/],
  ['an icon without a source', { icons: [{ mimeType: 'image/png' }] }, /icons\.0\.src is required/],
  ['an icon that is no URI', { icons: [{ src: 'a.png' }] }, /icons\.0\.src must match format "uri"/],
  ['sizes of an icon that are no list', { icons: [{ src: 'a:b', sizes: '1x1' }] }, /icons\.0\.sizes must be array/],
  ['an icon that is a script', { icons: [{ src: 'javascript:alert(1)' }] }, /"bad": icons\.0\.src must match pattern/],
  ['an icon that is a file', { icons: [{ src: 'file:///a.png' }] }, /icons\.0\.src must match pattern.*https/],
  ['an icon of a type that is none', { icons: [{ src: 'data:,', mimeType: 'png' }] }, /icons\.0\.mimeType must match/],
  ['metadata by a malformed key', { _meta: { 'bad key': 1 } }, /tool "bad": _meta\["bad key"\] must be a name/],
  [
    'metadata by a reserved key',
    { _meta: { 'io.modelcontextprotocol/evil': 1 } },
    /"bad": _meta.* is reserved for MCP/,
  ],
  ['metadata that is no JSON', { _meta: { a: 1n } }, /tool "bad": _meta\.a is a bigint/],
  ['a scope with a space', { scopes: ['a b'] }, /scopes\.0 must match/],
  ['a handler that is no function', { handler: 'x' }, /tool "bad".*handler/],
  ['a timeout of nothing', { timeout: 0 }, /timeout must be >= 1/],
  ['a timeout that is too long', { timeout: 600_001 }, /timeout must be <= 600000/],
  ['a timeout that is no time', { timeout: 'soon' }, /"bad": timeout: "soon" is not a time; write .*'30 s'/],
  ['a timeout that is too long, in words', { timeout: '11 minutes' }, /timeout must be <= 600000/],
  ['a concurrency of nothing', { concurrency: 0 }, /concurrency must be >= 1/],
  ['a kind of task that is unknown', { task: 'maybe' }, /task/],
  ['a rate limit of nothing', { rateLimit: { max: 0, timeWindow: 1 } }, /rateLimit\.max must be >= 1/],
  ['a rate limit without a window', { rateLimit: { max: 1 } }, /rateLimit\.timeWindow is required/],
  ['a window that is no time', { rateLimit: { max: 1, timeWindow: 'soon' } }, /"bad": rateLimit\.timeWindow: "soon"/],
  [
    'a window that is negative',
    { rateLimit: { max: 1, timeWindow: '-1 minute' } },
    /rateLimit\.timeWindow: "-1 minute"/,
  ],
  ['arguments that are no object', { inputSchema: { type: 'string' } }, /inputSchema is not the schema of an object/],
  ['arguments without a type', { inputSchema: {} }, /inputSchema\.type is required/],
  [
    'a dialect that is unknown',
    { inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } },
    /"bad": inputSchema: \$schema: dialect "http:\/\/json-schema.org\/draft-04\/schema#" is not supported/,
  ],
  [
    'a schema that is none',
    { inputSchema: object({ a: { type: 'text' } }) },
    /"bad": inputSchema: .*properties\.a\.type/,
  ],
  ['a result schema that is none', { outputSchema: { minimum: 'low' } }, /"bad": outputSchema: .*minimum/],
  [
    'a reference to the network',
    { inputSchema: object({ a: { $ref: 'https://example.com/schema.json' } }) },
    /inputSchema: #\/properties\/a\/\$ref: "https:\/\/example.com\/schema.json" is not local/,
  ],
  [
    'a reference to nothing',
    { inputSchema: object({ a: { $ref: '#/$defs/none' } }) },
    /inputSchema: .*#\/\$defs\/none/,
  ],
  [
    'a key of a call that is no string',
    { idempotency: true, inputSchema: object({ idempotencyKey: { type: 'integer' } }) },
    /"bad": inputSchema: idempotencyKey names a call, and must be a string; leave it out/,
  ],
  [
    'a key of a call that is no string by reference',
    {
      idempotency: true,
      inputSchema: {
        ...object({ idempotencyKey: { anyOf: [{ $ref: '#/$defs/key' }, { enum: [1, 2] }, { const: null }] } }),
        $defs: { key: { allOf: [{ type: 'string' }, { type: ['integer', 'null'] }] } },
      },
    },
    /"bad": inputSchema: idempotencyKey names a call, and must be a string/,
  ],
  [
    'a pattern of properties that is one of the key of a call, too',
    { idempotency: true, inputSchema: { type: 'object', patternProperties: { '^.*$': { type: 'integer' } } } },
    /idempotencyKey names a call, and must be a string; put what patternProperties describes into an object of its own/,
  ],
  ['a schema that is too deep', { inputSchema: nested(40) }, /inputSchema: #\/properties\/a.*nested deeper than 32/],
  [
    'a schema that is too large',
    { inputSchema: object(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`p${n}`, {}]))) },
    /inputSchema: more than 1000 subschemas/,
  ],
  ['a schema that holds itself', { inputSchema: circular }, /tool "bad": .*circular/],
  [
    'a pattern that does not run in linear time',
    { inputSchema: object({ a: { type: 'string', pattern: '^(?=a)b$' } }) },
    /inputSchema: #\/properties\/a\/pattern: .* expected .* in linear time, so without lookarounds/,
  ],
  [
    'a mirrored parameter whose name is no token',
    { inputSchema: object({ a: { type: 'string', 'x-mcp-header': 'A B' } }) },
    /inputSchema a: x-mcp-header must be an HTTP token/,
  ],
  [
    'a mirrored parameter that is no primitive',
    { inputSchema: object({ a: { type: 'number', 'x-mcp-header': 'A' } }) },
    /inputSchema a: x-mcp-header needs type string, integer or boolean/,
  ],
  [
    'two mirrored parameters of one name',
    {
      inputSchema: object({
        a: { type: 'string', 'x-mcp-header': 'A' },
        b: object({ c: { type: 'string', 'x-mcp-header': 'a' } }),
      }),
    },
    /inputSchema b\.c: x-mcp-header "a" is used twice/,
  ],
  [
    'a mirrored parameter in a list',
    { inputSchema: object({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }) },
    /inputSchema a.*: x-mcp-header must sit on a property reached through properties only/,
  ],
]

for (const [what, fields, reason] of tools) {
  t.test(`a tool with ${what} is refused with what and where`, async t => {
    const { name, message } = await refusal(defineTool({ name: 'bad', handler, ...fields } as never))

    t.equal(name, 'RegistrationError')
    t.match(message, reason)
  })
}

t.test('a tool that is defined twice is refused', async t => {
  const { name, message } = await refusal(defineTool({ name: 'good', handler: () => 'second' }))

  t.equal(name, 'RegistrationError')
  t.equal(message, 'tool "good": defined twice; rename or remove one')
})

const others: [kind: 'resources' | 'prompts', definition: object, reason: RegExp][] = [
  ['resources', defineResource({ name: 'a', handler }), /resource "a": needs either uri or uriTemplate/],
  [
    'resources',
    defineResource({ name: 'a', uriTemplate: 'x://{id}', size: 1, handler }),
    /resource "a": size: a template stands for many/,
  ],
  [
    'resources',
    defineResource({ name: 'a', uri: 'a://b', uriTemplate: 'a://{b}', handler }),
    /resource "a": needs either uri or uriTemplate/,
  ],
  ['resources', defineResource({ name: 'a', uri: 'no uri', handler }), /resource "a": uri must match format "uri"/],
  [
    'resources',
    defineResource({ name: 'a', uri: 'a://b', annotations: { audience: ['robot' as never] }, handler }),
    /resource "a": annotations\.audience\.0/,
  ],
  [
    'resources',
    defineResource({ name: 'a', uri: 'a://b', mimeType: 'text', handler }),
    /resource "a": mimeType must match/,
  ],
  ['resources', defineResource({ name: 'a', uri: 'a://b', size: -1, handler }), /resource "a": size must be >= 0/],
  [
    'resources',
    defineResource({ name: 'a', url: 'a:b', handler } as never),
    /resource "a": url is not a known property; did you mean uri\?/,
  ],
  [
    'prompts',
    definePrompt({ name: 'a', args: [], descripton: 'b', handler } as never),
    /prompt "a": args is not a .*; did you mean arguments\?; descripton is not a .*; did you mean description\?/,
  ],
  ['prompts', definePrompt({ name: '', handler }), /prompt "": name/],
  [
    'prompts',
    definePrompt({ name: 'a', arguments: [{ name: 'b', required: 'yes' as never }], handler }),
    /prompt "a": arguments\.0\.required must be boolean/,
  ],
  ['prompts', definePrompt({ name: 'a', handler: 'x' as never }), /prompt "a": handler must be a function/],
]

for (const [kind, definition, reason] of others) {
  t.test(`${kind}: ${reason.source}`, async t => {
    t.match((await refusal(definition, kind)).message, reason)
  })
}

const bad = defineTool({ name: 'bad', title: 5 as never, handler })

t.test('several that are bad are refused in one error, which names each', async t => {
  const worse = definePrompt({ name: '', handler })
  const message = /^tool "bad": title must be string; prompt "": name/

  await t.rejects(createServer({ tools: [bad, good], prompts: [worse], logLevel: 'silent' }), {
    name: 'AggregateError',
    message,
  })
})

t.test('a plugin of an app without a logger rejects for a bad tool, as `add` throws', async t => {
  const expected = { name: 'RegistrationError', message: 'tool "bad": title must be string' }
  const app = quietApp(t)
  await app.register(toolrack, { tools: [good] })

  await t.rejects(Promise.resolve(quietApp(t).register(toolrack, { tools: [bad] })), expected)
  t.throws(() => app.toolrack.add(bad), expected)
})

t.test('createServer and a plugin without a logger say the fix of a misspelt field', async t => {
  const tools = [{ name: 'bad', parameters: {}, execute: handler }] as never
  const expected = { name: 'RegistrationError', message: 'tool "bad": has no handler; rename execute to handler' }

  await t.rejects(createServer({ tools, logLevel: 'silent' }), expected)
  await t.rejects(Promise.resolve(quietApp(t).register(toolrack, { tools })), expected)
})

t.test('`add` serves what can be served beside what it refuses', async t => {
  const app = await build(t)

  t.throws(() => app.toolrack.add([bad, good]), /tool "bad"/)
  const { result } = await call(app, 'tools/list')
  t.strictSame(
    result.tools.map(({ name }: ToolDefinition) => name),
    ['good'],
  )
})

t.test('a tool that lacks a setting is no error: it waits until the setting is there', async t => {
  const options: ToolrackOptions = { tools: [good, defineTool({ name: 'keyed', requires: ['TEST_NO_KEY'], handler })] }
  const app = quietApp(t)
  await app.register(toolrack, options)

  t.match(app.toolrack.startUp, { tools: '1: good', 'tools that need': 'keyed: TEST_NO_KEY' })
})

t.test('a start that is refused leaves nothing open: its process ends', async t => {
  const redisUrl = `redis://127.0.0.1:${await freePort()}`
  const program = `
    import Fastify from 'fastify'
    import toolrack, { createServer } from './src/index.ts'
    const options = { tools: [{ name: 'a b', handler: () => '' }], redisUrl: '${redisUrl}' }
    const refused = await Promise.allSettled([
      createServer({ ...options, logLevel: 'silent' }),
      createServer({ ...options, tools: [], audit: { file: '/no/such/folder/audit' }, logLevel: 'silent' }),
      Promise.resolve(Fastify().register(toolrack, options)),
    ])
    console.log(refused.map(({ reason }) => reason.name).join())`

  // Killed, it has no code.
  const options = { timeout: 60_000, killSignal: 'SIGKILL' } as const
  const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options)

  t.equal(ended.stdout, 'RegistrationError,ConfigError,RegistrationError\n')
})
