// What a schema says, keyword by keyword.
import t from 'tap'
import {
  findChoices,
  findMember,
  findTarget,
  getElements,
  getTypeOf,
  includesType,
  isEqual,
  listProperties,
} from '../src/reader.ts'

t.test('types: an integer is a number, and 1.0 is an integer', async t => {
  t.strictSame([1, 1.5, null, [], {}, 'a', true].map(getTypeOf), [
    ...['integer', 'number', 'null', 'array', 'object', 'string', 'boolean'],
  ])
  t.ok(includesType(['number'], 'integer'))
  t.notOk(includesType(['integer'], 'number'))
})

t.test('choices: of an enum with names, and of a union of constants with titles', async t => {
  t.strictSame(findChoices({ enum: ['a', 2], enumNames: ['Ada'] }), [
    { value: 'a', label: 'Ada' },
    { value: 2, label: '2' },
  ])
  t.strictSame(findChoices({ oneOf: [{ const: '', title: 'None' }, { const: '' }] }), [
    { value: '', label: 'None' },
    { value: '', label: '""' },
  ])
  t.equal(findChoices({ oneOf: [{ const: 1 }, { type: 'string' }] }), undefined)
})

t.test('members: declared and by patterns, or else of all others', async t => {
  const schema = { properties: { a: 1 }, patternProperties: { '^a': 2, '(?i)b': 3 }, additionalProperties: 4 }
  t.strictSame(findMember(schema, 'a'), [1, 2, 3], 'a pattern that V8 does not know may match')
  t.strictSame(findMember({ ...schema, patternProperties: {} }, 'toString'), [4])
  t.strictSame(findMember({}, 'a'), [undefined])
})

t.test('elements: of a tuple, in both dialects', async t => {
  t.strictSame(getElements({ prefixItems: [1], items: 2 }), { first: [1], rest: 2 })
  t.strictSame(getElements({ items: [1], additionalItems: 2 }), { first: [1], rest: 2 })
  t.strictSame(getElements({ items: 1 }), { first: [], rest: 1 })
})

t.test('references: pointers within the document, with escapes, and nothing inherited', async t => {
  const root = { $defs: { 'a/b c': 1 }, list: [2] }
  t.equal(findTarget('#', root), root)
  t.equal(findTarget('#/$defs/a~1b%20c', root), 1)
  t.equal(findTarget('#/list/0', root), 2)
  for (const reference of ['#anchor', '#/toString', '#/$defs/%', 'https://a.example/#/list', 7])
    t.equal(findTarget(reference, root), undefined)
})

t.test('properties: those of references and allOf, required ones first, each once in a circle', async t => {
  const schema = {
    properties: { a: { type: 'string' } },
    allOf: [{ $ref: '#' }, { $ref: '#/$defs/more' }],
    $defs: { more: { properties: { b: true }, required: ['b'] } },
  }
  t.strictSame(listProperties(schema), [
    { name: 'b', schema: true, isRequired: true },
    { name: 'a', schema: { type: 'string' }, isRequired: false },
  ])
})

t.test('equality: whatever the order of members, and without calling what a value has', async t => {
  t.ok(isEqual({ a: 1, b: [{ toString: 1 }] }, { b: [{ toString: 1 }], a: 1 }))
  t.notOk(isEqual({ a: 1 }, { b: 1 }))
  t.notOk(isEqual([], {}))
})
