// Schemas that refer to themselves: a value that can be read in ever more ways from level to level ends its check.
import t from 'tap'
import { compile, type Schema } from '../src/validator.ts'

/** Operators over operands, as filters of search tools are written; the operands stand before what tells the branches apart. */
const operator = (op: string): Schema => ({
  type: 'object',
  properties: { args: { type: 'array', items: { $ref: '#/$defs/filter' } }, op: { const: op } },
  required: ['args', 'op'],
})
const filter: Schema = {
  type: 'object',
  properties: { filter: { $ref: '#/$defs/filter' } },
  $defs: { filter: { anyOf: [operator('and'), operator('or'), { type: 'string' }] } },
}

function nest(levels: number, op: string, leaf: unknown): unknown {
  let value = leaf
  for (let level = 0; level < levels; level++) value = { args: [value], op }
  return { filter: value }
}

t.test('recursion: what people write is taken, however wide', async t => {
  const wide = { args: Array(5000).fill('a = 1'), op: 'and' }

  t.ok(compile(filter).isValid(nest(8, 'or', 'a = 1')))
  t.ok(compile(filter).isValid({ filter: { args: Array(20).fill(wide), op: 'and' } }))
  t.same(compile(filter).issues(nest(3, 'or', 7)).length > 0, true)
})

t.test('recursion: a value whose ways double with each level is refused, and the check ends', async t => {
  for (const value of [nest(30, 'or', 'a = 1'), nest(30, 'and', 7)]) {
    t.notOk(compile(filter).isValid(value))
    t.match(compile(filter).issues(value), [{ path: '(root)', expected: /too long to check/ }])
  }
})

t.test('recursion: a union that says first what tells its branches apart is as deep as a message may be', async t => {
  const node = (type: string): Schema => ({
    type: 'object',
    properties: { type: { const: type }, next: { $ref: '#/$defs/node' } },
    required: ['type'],
  })
  const list = { properties: { list: { $ref: '#/$defs/node' } }, $defs: { node: { anyOf: [node('a'), node('b')] } } }
  let value: unknown = { type: 'b' }
  for (let level = 0; level < 60; level++) value = { type: level % 2 ? 'a' : 'b', next: value }

  t.ok(compile(list).isValid({ list: value }))
  t.same(compile(list).issues({ list: { type: 'a', next: { type: 'a', next: value, more: { type: 7 } } } }), [])
})

t.test('recursion: if looking for all faults takes too long, the first is told', async t => {
  const node = (type: string): Schema => ({
    type: 'object',
    properties: { type: { const: type }, next: { $ref: '#/$defs/node' } },
    required: ['type'],
  })
  const list = { properties: { list: { $ref: '#/$defs/node' } }, $defs: { node: { anyOf: [node('a'), node('b')] } } }
  let value: unknown = 7
  for (let level = 0; level < 40; level++) value = { type: 'a', next: value }

  t.match(compile(list).issues({ list: value }), [{ path: /^list\.next\./, expected: 'must be object' }])
})

t.test('recursion: references that fan out over one value end as well', async t => {
  const $defs: Record<string, Schema> = { d40: { type: 'string' } }
  for (let level = 0; level < 40; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` }
    $defs[`d${level}`] = { anyOf: [{ allOf: [next] }, { allOf: [next] }] }
  }

  t.ok(compile({ $ref: '#/$defs/d0', $defs }).isValid('a'))
  t.notOk(compile({ $ref: '#/$defs/d0', $defs }).isValid(7))
})
