// A schema within a document: its references lead where they led.
import t from 'tap'
import { placeSchema } from '../../../src/plain-http/openapi-schemas.ts'

const PLACE = '#/components/schemas/a.input'

t.test('references of schemas begin at the document; what only looks like one stays', async t => {
  const data = { const: { $ref: '#/nowhere' }, enum: [{ $ref: '#/x' }], default: { $ref: '#' } }
  const schema = {
    properties: { $ref: { $ref: '#/$defs/x' }, data, items: { items: { $ref: '#' } } },
    dependentSchemas: { a: { $ref: '#/$defs/x' } },
    allOf: [{ not: { $ref: '#/$defs/x' } }],
    $defs: { x: { type: 'string' } },
    examples: [{ $ref: '#/x' }],
  }

  t.strictSame(placeSchema(schema, PLACE), {
    ...schema,
    properties: { $ref: { $ref: `${PLACE}/$defs/x` }, data, items: { items: { $ref: PLACE } } },
    dependentSchemas: { a: { $ref: `${PLACE}/$defs/x` } },
    allOf: [{ not: { $ref: `${PLACE}/$defs/x` } }],
  })
})

t.test('references within keywords of authors are rebased, too, since others lead there', async t => {
  const Pet = { properties: { friend: { $ref: '#/components/schemas/Pet' } }, example: { $ref: '#/x' } }
  const schema = { properties: { pet: { $ref: '#/components/schemas/Pet' } }, components: { schemas: { Pet } } }
  const $ref = `${PLACE}/components/schemas/Pet`

  t.strictSame(placeSchema({ ...schema, 'x-note': { $ref: '#/x' } }, PLACE), {
    properties: { pet: { $ref } },
    components: { schemas: { Pet: { ...Pet, properties: { friend: { $ref } } } } },
    'x-note': { $ref: '#/x' },
  })
})

t.test('draft-07 keeps its own keywords', async t => {
  const $schema = 'http://json-schema.org/draft-07/schema#'
  const schema = {
    $schema,
    definitions: { a: {} },
    items: [{ $ref: '#/definitions/a' }],
    additionalItems: { $ref: '#' },
  }

  t.strictSame(placeSchema(schema, PLACE), {
    ...schema,
    items: [{ $ref: `${PLACE}/definitions/a` }],
    additionalItems: { $ref: PLACE },
  })
})

t.test('anchors go, since two tools may have the same; a property of that name stays', async t => {
  const schema = { properties: { $anchor: { type: 'string' } }, $defs: { x: { $anchor: 'a', type: 'string' } } }

  t.strictSame(placeSchema(schema, PLACE), { ...schema, $defs: { x: { type: 'string' } } })
})
