// The index of the tests, test/INDEX.md, has the titles that the tests have.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { PAGE, readTitles, testIndex } from '../../scripts/docs/test-index.ts'

t.test('test/INDEX.md has each title below its file; npm run docs writes it', async t => {
  t.equal(readFileSync(PAGE, 'utf8'), testIndex())
})

t.test('titles are read in every form', async t => {
  const cases: [source: string, titles: string[]][] = [
    ["t.test('a title', async t => {", ['a title']],
    ["t.test(\n  'a title on a line of its own',", ['a title on a line of its own']],
    ["  await t.test('within a test', t => {", ['within a test']],
    [String.raw`t.test('it\'s "quoted"', t => {`, ['it\'s "quoted"']],
    ['t.test("an issuer\'s key", t => {', ["an issuer's key"]],
    ['t.test(`$' + '{name}: x`, t => {', ['$' + '{name}: x']],
    ['t.test(`$' + '{JSON.stringify(name)}: x`, t => {', ['$' + '{…}: x']],
    ['for (const name of names) t.test(name, t => {', ['$' + '{name}']],
    [
      "const CONTRACT = {\n  async 'a member'(t, app) {\n  },\n  'another': async (t, app) => {",
      ['a member', 'another'],
    ],
    ["const ROWS: readonly Row[] = [\n  {\n    name: 'a row',", ['a row']],
    ["const TOOLS = [\n  {\n    name: 'no row',", []],
    ["t.test('twice', f)\nt.test('twice', g)", ['twice']],
  ]

  for (const [source, titles] of cases) t.strictSame(readTitles(source), titles, source)
})
