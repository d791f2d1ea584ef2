import t from 'tap'
import { formatArguments, parseArguments } from '../../../console/src/form/form-data.ts'
import { dropUntouched } from '../../../console/src/form/untouched.ts'

t.test('JSON of arguments: written, read, and refused in words', async t => {
  t.equal(formatArguments({ a: 1, b: undefined }), '{\n  "a": 1\n}', 'without what a form left empty')
  t.equal(formatArguments(undefined), '{}')
  t.strictSame(parseArguments('{"a":[1]}'), { value: { a: [1] } })
  t.strictSame(parseArguments('  '), { value: {} })
  for (const text of ['[1]', '1', 'null', '"a"']) t.match(parseArguments(text), { error: /JSON object/ }, text)
  t.match(parseArguments('{'), { error: /not JSON/ })
})

const card = {
  type: 'object',
  properties: { kind: { const: 'card' }, number: { type: 'string' } },
  required: ['number'],
}
const schema = {
  type: 'object',
  properties: {
    optional: { oneOf: [card] },
    required: { oneOf: [card] },
    referenced: { $ref: '#/$defs/card' },
    nested: { type: 'object', properties: { inner: card } },
    escaped: { $ref: '#/$defs/a~1b' },
    plain: { type: 'object' },
    tuple: { type: 'array' },
  },
  required: ['required'],
  $defs: { card, 'a/b': card },
}

t.test('an optional object of constants only is not sent, unless it is valid', async t => {
  const drop = (data: unknown, isValid = false) => dropUntouched(schema, data, () => isValid)
  const constants = { kind: 'card' }
  const cases: [string, object, object][] = [
    ['optional', { optional: constants }, {}],
    ['behind a reference', { referenced: { ...constants, number: undefined } }, {}],
    ['behind an escaped reference', { escaped: constants }, {}],
    ['empty', { plain: {} }, {}],
    ['a tuple without a value', { tuple: [undefined, undefined] }, {}],
    ['a tuple with a value', { tuple: [undefined, 1] }, { tuple: [undefined, 1] }],
    ['required', { required: constants }, { required: constants }],
    [
      'with a value of the user',
      { optional: { ...constants, number: '' } },
      { optional: { ...constants, number: '' } },
    ],
    ['of another constant', { optional: { kind: 'coin' } }, { optional: { kind: 'coin' } }],
    ['unknown to the schema', { extra: {} }, { extra: {} }],
    ['in an object', { nested: { inner: constants, other: 1 } }, { nested: { other: 1 } }],
  ]
  for (const [name, data, sent] of cases) t.strictSame(drop(data), sent, name)
  t.strictSame(drop({ optional: constants }, true), { optional: constants }, 'valid')
  t.equal(drop('text'), 'text')
})
