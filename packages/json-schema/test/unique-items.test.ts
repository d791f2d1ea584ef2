// `uniqueItems`: any array may ask for it, and the time that it takes grows with the array only.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { compile } from '../src/validator.ts'

const unique = compile({ type: 'array', uniqueItems: true })

t.test('uniqueItems is served without maxItems, as Zod, Pydantic and TypeBox write sets', async t => {
  t.ok(unique.isValid([1, '1', true, 'true', null, 'null', [1], ['1'], { a: 1 }, { a: '1' }, '{"a":1}']))
  t.notOk(unique.isValid([1, 2, 1.0]))
  t.notOk(unique.isValid([0, -0]))
  t.match(unique.issues(['a', 'b', 'a']), [
    { path: '(root)', pointer: '', expected: 'must NOT have duplicate items (items ## 0 and 2 are identical)' },
  ])
})

t.test('uniqueItems: objects are equal whatever the order of their members, and nothing else is', async t => {
  t.notOk(
    unique.isValid([
      { a: 1, b: [{ c: 2, d: 3 }] },
      { b: [{ d: 3, c: 2 }], a: 1 },
    ]),
  )
  t.ok(unique.isValid([{ a: 1 }, { b: 1 }, { a: 1, b: 1 }, {}, [], '', 0, false]))
  t.ok(unique.isValid([JSON.parse('{"__proto__":1}'), {}, { toJSON: 1 }]))
})

t.test('uniqueItems says what comparing each pair says', async t => {
  const value = fc.jsonValue({ maxDepth: 2 }).map(json => JSON.parse(JSON.stringify(json)))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 8 }), items => {
      const isUnique = !items.some((item, index) => items.slice(0, index).some(each => isDeepStrictEqual(each, item)))
      return unique.isValid(items) === isUnique
    }),
  )
  t.pass()
})

t.test('uniqueItems of a hundred thousand objects is done', async t => {
  const items = Array.from({ length: 100_000 }, (_, index) => ({ index, name: 'x' }))

  t.ok(unique.isValid(items))
  t.notOk(unique.isValid([...items, { name: 'x', index: 7 }]))
})

t.test('uniqueItems: false asks for nothing', async t => {
  t.ok(compile({ uniqueItems: false }).isValid([1, 1]))
})
