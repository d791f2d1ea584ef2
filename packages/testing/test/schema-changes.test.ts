// If no break is found, every argument that was valid is valid still, and every result was before: over
// schemas that chance has made.
import fc from 'fast-check'
import t from 'tap'
import { compile } from '../../json-schema/src/validator.ts'
import { findSchemaBreaks } from '../src/contract/schema-changes.ts'

const bound = fc.option(fc.nat(3), { nil: undefined })
const withoutUndefined = (schema: object) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: bound, maxLength: bound }),
  fc.record({
    type: fc.constantFrom('number', 'integer'),
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    multipleOf: fc.constantFrom(undefined, 1, 2),
  }),
  fc.record({ type: fc.constantFrom('boolean', 'null') }),
  fc.record({ type: fc.uniqueArray(fc.constantFrom('string', 'integer', 'null'), { minLength: 1 }), maxLength: bound }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom('', 'x', 'xy', 1, 2, null), { minLength: 1 }) }),
  fc.constant({}),
)
const { schema } = fc.letrec<{ schema: object }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: bound, uniqueItems: fc.boolean() }),
    fc.record({
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      items: fc.oneof(fc.constant(false), tie('schema')),
      // As draft-07 writes them; a note in 2020-12.
      additionalItems: fc.oneof(fc.constant(false), tie('schema')),
    }),
    // Closed: a new optional member of an open object counts as harmless.
    fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        fc.subarray(['a', 'b']),
        fc.oneof(fc.constant(false), tie('schema')),
        fc.option(fc.dictionary(fc.constantFrom('^a', '^c'), tie('schema')), { nil: undefined }),
      )
      .map(([properties, names, additionalProperties, patternProperties]) => {
        const required = names.filter(name => Object.hasOwn(properties, name))
        return { type: 'object', properties, required, additionalProperties, patternProperties }
      }),
  ),
}))

const value = fc.oneof(
  fc.constantFrom('', 'x', 'xy', 'xyz', 'long text', 0, 1, 2, 3, 4, 1.5, -1, true, null, [], {}),
  fc.array(fc.constantFrom('', 'x', 1, 2, null), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', 'x', 1, 2, null, [1])),
)

/** Draft-07 lists the first elements as `items`. */
const toDraft07 = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_name, each) =>
    Array.isArray(each?.prefixItems) ? { items: each.prefixItems, additionalItems: each.additionalItems } : each,
  )

const document = fc
  .tuple(schema, fc.boolean())
  .map(([each, isOld]) => (isOld ? { ...toDraft07(each), $schema: 'http://json-schema.org/draft-07/schema#' } : each))

for (const direction of ['input', 'output'] as const) {
  t.test(`${direction}: what one side may send, the other takes, unless a break is found`, async t => {
    let compared = 0
    fc.assert(
      fc.property(document, document, fc.array(value, { minLength: 20, maxLength: 40 }), (one, other, values) => {
        const [before, after] = [withoutUndefined(one), withoutUndefined(other)]
        if (findSchemaBreaks(before, after, direction).length > 0) return
        compared++
        const [sender, taker] = direction === 'input' ? [before, after] : [after, before]
        const [sent, taken] = [compile(sender), compile(taker)]
        for (const each of values) if (sent.isValid(each) && !taken.isValid(each)) throw new Error(JSON.stringify(each))
      }),
      // One pair in eleven has no break.
      { numRuns: 2200 },
    )
    t.ok(compared > 100, `${compared} pairs without a break`)
  })
}

t.test('a schema breaks nobody that knows it', async t => {
  fc.assert(
    fc.property(document, one => {
      const same = withoutUndefined(one)
      for (const direction of ['input', 'output'] as const) {
        const breaks = findSchemaBreaks(same, withoutUndefined(one), direction)
        if (breaks.length > 0) throw new Error(breaks.join())
      }
    }),
    { numRuns: 1000 },
  )
  t.pass('1000 schemas')
})
