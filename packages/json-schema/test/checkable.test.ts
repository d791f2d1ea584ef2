// Readers that lack the meta-schema get a schema that passes all values that the whole schema passes.
import t from 'tap'
import { withoutMetaReferences } from '../src/checkable.ts'

t.test('a reference to the meta-schema is listed as what it is, and takes no less', async t => {
  const $ref = 'https://json-schema.org/draft/2020-12/schema'
  const said = { description: 'A JSON Schema.', anyOf: [{ type: 'object' }, { type: 'boolean' }] }

  t.strictSame(
    withoutMetaReferences({
      properties: {
        a: { $ref },
        b: { description: 'The rows.', $ref, unevaluatedProperties: false },
        c: { not: { $ref } },
        d: { const: { $ref } },
      },
    }),
    { properties: { a: said, b: { ...said, description: 'The rows.' }, c: {}, d: { const: { $ref } } } },
  )
  const other = { properties: { a: { $ref: '#' } } }
  t.equal(withoutMetaReferences(other), other)
})
