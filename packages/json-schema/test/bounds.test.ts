// What a schema may cost: how deep, how many, which patterns; also where a keyword hides in a map or in data.
import t from 'tap'
import { MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS } from '../src/bounds.ts'
import { compile, type Schema } from '../src/validator.ts'

const object = (properties: Schema): Schema => ({ type: 'object', properties })

t.test('the bounds of a schema are exact', async t => {
  const wide = (count: number) =>
    object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])))
  const deep = (depth: number): Schema => (depth === 0 ? {} : { not: deep(depth - 1) })

  t.doesNotThrow(() => compile(wide(MAX_SUBSCHEMAS - 1)))
  t.throws(() => compile(wide(MAX_SUBSCHEMAS)), { message: /more than 1000 subschemas/ })
  t.doesNotThrow(() => compile(deep(MAX_SCHEMA_DEPTH)))
  t.throws(() => compile(deep(MAX_SCHEMA_DEPTH + 1)), { message: /nested deeper than 32/ })
})

t.test('a pattern is refused if neither V8 nor RE2 runs it in linear time', async t => {
  for (const pattern of ['(?=a)b', '^(?!a)', '(?<=a)b', '^(a+)\\1$'])
    t.throws(() => compile({ type: 'string', pattern }), { message: /runs in linear time, so without/ }, pattern)
  for (const pattern of ['^[A-Z]{3}-\\d{4}$', '^a+b+$', '^(?:a|b)+$', '^\\p{L}+$', '(a+)+$'])
    t.doesNotThrow(() => compile({ type: 'string', pattern }), pattern)
})
