// `const` and `enum`: values are compared as JSON, whatever the names of their members.
import t from 'tap'
import { compile } from '../src/validator.ts'

t.test('const and enum: members named like methods of every object are members', async t => {
  const hostile = ['toString', 'valueOf', 'constructor', 'hasOwnProperty', '__proto__']
  for (const name of hostile) {
    const value = JSON.parse(`{"${name}":1}`)
    for (const schema of [{ const: { a: 1 } }, { enum: [{ a: 1 }, [], 7] }]) {
      t.notOk(compile(schema).isValid(value), name)
      t.equal(compile(schema).issues(value).length, 1)
    }
    t.ok(compile(JSON.parse(`{"const":{"${name}":1}}`)).isValid(value))
    t.notOk(compile(JSON.parse(`{"const":{"${name}":1}}`)).isValid({}))
  }
})

t.test('const and enum: equal is what is the same JSON', async t => {
  t.ok(compile({ const: { a: [1, { b: null }], c: 'x' } }).isValid({ c: 'x', a: [1, { b: null }] }))
  t.ok(compile({ enum: [null, [], 0, 'a', false] }).isValid([]))
  t.ok(compile({ const: 0 }).isValid(-0))
  for (const value of [{}, [[]], '0', 'false', true, { length: 0 }]) {
    t.notOk(compile({ enum: [null, [], 0, 'a', false] }).isValid(value), JSON.stringify(value))
  }
})
