// Schemas of Valibot, which say more than JSON Schema can: what is left out there, Valibot checks.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import t from 'tap'
import * as v from 'valibot'
import { defineTool } from '../../../../src/index.ts'
import { build, call, callTool } from '../../../../test/support/app.ts'

const text = { type: 'string' }

/** A schema of `value`, its JSON Schema, a value that it takes and one that it refuses. */
const SCHEMAS: Readonly<Record<string, [schema: v.GenericSchema | v.GenericSchemaAsync, object, unknown, unknown]>> = {
  'v.check': [
    v.pipe(
      v.string(),
      v.check(text => text === 'ok', 'must be ok'),
    ),
    text,
    'ok',
    'no',
  ],
  'v.checkAsync': [
    v.pipeAsync(
      v.string(),
      v.checkAsync(async text => text === 'ok', 'must be ok'),
    ),
    text,
    'ok',
    'no',
  ],
  'v.trim': [v.pipe(v.string(), v.trim(), v.nonEmpty()), { type: 'string', minLength: 1 }, ' a ', '  '],
  'v.brand': [v.pipe(v.string(), v.brand('Sku')), text, 'a', 1],
  'v.toUpperCase': [v.pipe(v.string(), v.toUpperCase(), v.picklist(['A'])), text, 'a', 'b'],
  'a pattern with a flag that JSON Schema lacks': [v.pipe(v.string(), v.regex(/^abc$/i)), text, 'ABC', 'abd'],
  'a pattern with a flag that it has': [
    v.pipe(v.string(), v.regex(/^\p{L}$/u)),
    { ...text, pattern: '^\\p{L}$' },
    'ä',
    '1',
  ],
  'two patterns': [v.pipe(v.string(), v.regex(/a/), v.regex(/b/)), { ...text, pattern: 'a' }, 'ab', 'a'],
  'v.partialCheck, forwarded': [
    v.pipe(
      v.object({ a: v.number(), b: v.number() }),
      v.forward(
        v.partialCheck([['a'], ['b']], ({ a, b }) => a < b, 'must be less'),
        ['a'],
      ),
    ),
    { type: 'object', required: ['a', 'b'] },
    { a: 1, b: 2 },
    { a: 2, b: 1 },
  ],
  'a record with a choice of keys': [
    v.record(v.picklist(['a', 'b']), v.number()),
    { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'number' } },
    { a: 1 },
    { c: 1 },
  ],
}

for (const [name, [value, listed, good, bad]] of Object.entries(SCHEMAS)) {
  t.test(`${name} is served, and checked by Valibot`, async t => {
    // The types of toStandardJsonSchema do not take an asynchronous schema, but it does.
    const inputSchema = toStandardJsonSchema(v.objectAsync({ value }) as unknown as v.GenericSchema)
    const app = await build(t, { tools: [defineTool({ name: 'probe', inputSchema, handler: () => 'ran' })] })
    const [tool] = (await call(app, 'tools/list')).result.tools

    t.match(tool.inputSchema.properties.value, listed)
    t.equal('pattern' in tool.inputSchema.properties.value, 'pattern' in listed)
    t.match(await callTool(app, 'probe', { value: good }), { content: [{ text: 'ran' }] })
    t.match(await callTool(app, 'probe', { value: bad }), {
      isError: true,
      content: [{ text: /^Invalid arguments for probe: value/ }],
    })
  })
}

t.test('what changes the type is no outputSchema, unless it says what it gives', async t => {
  const app = await build(t)
  const give = (size: v.GenericSchema) =>
    defineTool({
      name: 'give',
      outputSchema: toStandardJsonSchema(v.object({ size })),
      handler: () => ({ size: '1' }),
    })

  for (const size of [
    v.pipe(v.string(), v.transform(Number)),
    v.pipe(v.string(), v.toNumber()),
    v.pipe(v.number(), v.toString()),
    v.pipe(v.string(), v.toBoolean()),
    v.pipe(v.string(), v.parseJson()),
    v.pipe(v.array(v.string()), v.mapItems(Number)),
  ])
    t.throws(() => app.toolrack.add(give(size)), {
      message:
        /outputSchema .* JSON Schema cannot say: The "\w+" action .*; say what the transform gives, such as v\.pipe\(/,
    })
  t.throws(() => app.toolrack.add(give(v.pipe(v.string(), v.toDate()))), {
    message: /The "to_date" action .*; give a text/,
  })
  app.toolrack.add(give(v.pipe(v.string(), v.trim(), v.toNumber(), v.number())))
  t.match(await callTool(app, 'give'), { structuredContent: { size: 1 } })
})

t.test('a type that JSON does not have is refused', async t => {
  const app = await build(t)
  for (const value of [v.date(), v.map(v.string(), v.string()), v.bigint(), v.file()])
    t.throws(
      () =>
        app.toolrack.add(
          defineTool({ name: 'bad', inputSchema: toStandardJsonSchema(v.object({ value })), handler: () => '' }),
        ),
      { message: /inputSchema is a schema of valibot that JSON Schema cannot say: The "\w+" schema/ },
    )
})
