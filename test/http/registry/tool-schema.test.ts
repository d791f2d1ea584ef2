// What is given as a schema and is none is refused, with the way out: it would let every argument pass.
import t from 'tap'
import { z } from 'zod'
import type { ToolDefinition } from '../../../src/index.ts'
import { Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'

const standard = (vendor: string) => ({
  '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }) },
})
class Custom {
  type = 'object'
}

t.test('a schema of Zod or of another Standard Schema library is refused, with the fix', async t => {
  const app = await build(t, { tools: [{ name: 'probe', handler: () => '' }] })
  const refused: [unknown, RegExp][] = [
    [z.object({ a: z.number() }), /inputSchema is a schema of zod; .*Type\.Object.*z\.toJSONSchema\(schema\)/],
    [z.object({ a: z.number() }).transform(({ a }) => a), /inputSchema is a schema of zod/],
    [{ a: z.number() }, /inputSchema is not plain JSON: a.*z\.toJSONSchema/],
    [{ type: 'object', properties: { a: z.number() } }, /inputSchema is not plain JSON: properties\.a/],
    [Object.assign(() => true, standard('arktype')), /inputSchema .* not arktype; .*schema\.toJsonSchema\(\)/],
    [{ type: 'object', ...standard('valibot') }, /inputSchema is a schema of valibot; .*@valibot\/to-json-schema/],
    [{ type: 'object', ...standard('other') }, /inputSchema is a schema of other; .*JSON Schema$/],
    [new Custom(), /inputSchema is not plain JSON: \(root\) is a Custom/],
    [
      { type: 'object', properties: { a: { const: 10n } } },
      /inputSchema is not plain JSON: properties\.a\.const is a bigint/,
    ],
    [{ type: 'object', properties: { a: { maximum: Number.NaN } } }, /properties\.a\.maximum is NaN/],
    [{ type: 'object', default: new Date() }, /default is a Date/],
    ['{"type":"object"}', /inputSchema must be a schema as a JSON object, not string/],
    [null, /inputSchema must be a schema as a JSON object, not null/],
  ]

  for (const [schema, message] of refused) {
    const definition = { name: 'bad', handler: () => ({ a: 1 }) }
    const [inputSchema, outputSchema] = [{ type: 'object' }, schema] as [object, object]
    t.throws(() => app.toolrack.add({ ...definition, inputSchema: schema } as ToolDefinition), { message })
    const text = new RegExp(message.source.replaceAll('inputSchema', 'outputSchema'))
    t.throws(() => app.toolrack.add({ ...definition, inputSchema, outputSchema } as ToolDefinition), { message: text })
  }
  t.match((await call(app, 'tools/list')).result.tools, [{ name: 'probe' }])
  t.equal((await call(app, 'tools/list')).result.tools.length, 1)
})

t.test('the JSON Schema that Zod makes is served, and checked', async t => {
  const inputSchema = z.toJSONSchema(z.object({ a: z.number(), tags: z.set(z.string()).optional() }), {
    unrepresentable: 'any',
  })
  const app = await build(t, { tools: [{ name: 'good', inputSchema, handler: () => 'ran' } as ToolDefinition] })

  t.match(await callTool(app, 'good', { a: 1 }), { content: [{ text: 'ran' }] })
  t.match(await callTool(app, 'good', { a: 'x' }), { isError: true })
})

t.test('a schema with members that are undefined, and one of TypeBox, are served as before', async t => {
  const inputSchema = Type.Object({ a: Type.String({ description: undefined }), b: Type.Optional(Type.Date()) })
  const plain = Object.assign(Object.create(null), { type: 'object', title: undefined })
  const app = await build(t)

  t.throws(() => app.toolrack.add({ name: 'date', inputSchema, handler: () => '' }), { message: /not a valid schema/ })
  app.toolrack.add({ name: 'good', inputSchema: Type.Omit(inputSchema, ['b']), handler: () => '' })
  app.toolrack.add({ name: 'bare', inputSchema: plain, handler: () => '' })
  t.same(
    (await call(app, 'tools/list')).result.tools.map(({ name }: { name: string }) => name),
    ['bare', 'good'],
  )
})
