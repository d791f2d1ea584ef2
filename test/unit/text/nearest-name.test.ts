import t from 'tap'
import { findNearestName } from '../../../src/text/nearest-name.ts'

t.test('nearest name: two letters may differ, and in short names one', async t => {
  t.equal(findNearestName('desciption', ['title', 'description']), 'description')
  t.equal(findNearestName('nmae', ['name']), undefined)
  t.equal(findNearestName('nam', ['name']), 'name')
  t.equal(findNearestName('a', ['b', 'ab']), undefined)
})

t.test('nearest name: upper case, _ and - make no other name', async t => {
  t.equal(findNearestName('input_schema', ['inputSchema']), 'inputSchema')
  t.equal(findNearestName('vs-code', ['vscode'], 0), 'vscode')
})

t.test('nearest name: the caller may say how many letters differ', async t => {
  t.equal(findNearestName('srat', ['dev', 'start'], 2), 'start')
  t.equal(findNearestName('srat', ['dev', 'start'], 1), undefined)
  t.equal(
    findNearestName('b', ['abc', 'b0'], (name, each) => each.indexOf(name)),
    'b0',
    'or how far each is',
  )
})

t.test('nearest name: of equally near ones the first', async t => {
  t.equal(findNearestName('get_prise', ['get_price', 'get_prize']), 'get_price')
})
