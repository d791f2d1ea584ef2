// Definitions that clients refuse, and those that they take.
import t from 'tap'
import { findRefusals } from '../src/doctor/checks/definitions.ts'

const good = { name: 'get_price', description: 'Finds a price.', inputSchema: { type: 'object' } }
const withSchema = (inputSchema: object) => ({ ...good, inputSchema: { type: 'object', ...inputSchema } })
const withProperty = (a: unknown) => withSchema({ properties: { a } })

for (const tool of [
  good,
  withProperty({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
  withProperty({ type: 'array', items: {} }),
  withProperty({ enum: ['a', 'b'] }),
  withSchema({ properties: { a: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': {} } }),
  withSchema({ properties: { 'a.b-C_1': {}, nested: { properties: { 'any name': {} } } } }),
  withSchema({ $schema: 'http://json-schema.org/draft-07/schema#' }),
  withProperty(true),
  { ...good, outputSchema: { type: 'object' } },
]) {
  t.test(`${JSON.stringify(tool)} is taken`, async t => t.strictSame(findRefusals(tool), []))
}

for (const [tool, severity, what] of [
  [{ ...good, name: 'get.price' }, 'problem', /other characters/],
  [{ ...good, name: 'x'.repeat(65) }, 'problem', /longer than 64/],
  [{ ...good, name: 'x'.repeat(51) }, 'warning', /longer than 50/],
  [{ ...good, description: ' ' }, 'warning', /no description/],
  [{ ...good, inputSchema: undefined }, 'problem', /inputSchema is missing/],
  [{ ...good, inputSchema: {} }, 'problem', /not of type 'object' at its root/],
  [{ ...good, outputSchema: { type: 'string' } }, 'problem', /outputSchema is not of type/],
  [withSchema({ oneOf: [] }), 'problem', /oneOf at its root/],
  [withSchema({ $ref: '#/$defs/a' }), 'problem', /\$ref at its root/],
  [withProperty({ type: ['string', 'null'] }), 'warning', /type is a list/],
  [withProperty({ type: 'array' }), 'warning', /array without items/],
  [withProperty({ items: { enum: [1, 'a'] } }), 'warning', /several types/],
  [withProperty({ enum: [''] }), 'warning', /empty text/],
  [withSchema({ $defs: { a: { $ref: 'other.json' } } }), 'problem', /another document/],
  [withSchema({ properties: { 'filter[]': {} } }), 'problem', /name of a property/],
  [withSchema({ properties: { ['x'.repeat(65)]: {} } }), 'problem', /name of a property/],
  [withProperty({ type: 'array', prefixItems: [{}] }), 'warning', /prefixItems/],
  [withProperty({ type: 'integer', enum: [1, 2] }), 'warning', /enum has numbers/],
  [withProperty({ $ref: '#/$defs/missing' }), 'problem', /definition that is not there/],
  [withProperty({ type: 'text' }), 'problem', /not valid JSON Schema 2020-12/],
  [withProperty({ type: 'array', items: [{}] }), 'warning', /prefixItems/],
  [withProperty({ minimum: 1, exclusiveMinimum: true }), 'problem', /not valid JSON Schema 2020-12/],
  [{ ...good, name: '2fa' }, 'warning', /begins with neither/],
  [{ ...good, description: 'x'.repeat(2049) }, 'warning', /longer than 2048/],
  [{ ...good, outputSchema: null }, 'problem', /outputSchema is null/],
  [{ ...good, annotations: null }, 'problem', /annotations is null/],
  [withSchema({ items: { $ref: 'a' }, $defs: { a: { $id: 'a' } } }), 'warning', /has \$id/],
] as const) {
  t.test(`${JSON.stringify(tool).slice(0, 100)} is found`, async t => {
    t.match(findRefusals(tool), [{ severity, what }])
  })
}

t.test('deep and wide schemas end', async t => {
  let deep: object = { type: 'array' }
  for (let depth = 0; depth < 1000; depth++) deep = { items: deep }
  t.strictSame(findRefusals(withProperty(deep)), [])
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, { type: 'array' }]))
  t.ok(findRefusals(withSchema({ properties: wide })).length <= 5000)
})
