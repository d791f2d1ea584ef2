// Files below the top of the folder that define tools are served by an index only: what has none gets a line.
import t from 'tap'
import { type Files, names, serve, source } from '../../../../test/support/tools-folder.ts'

const ROWS: readonly { what: string; files: Files; says?: RegExp }[] = [
  {
    what: 'a folder without an index',
    files: { 'orders/list.ts': source('list'), 'orders/get.ts': source('get') },
    says: /^tools.orders: has tools that are not served.*\(get\.ts, list\.ts\).*add tools.orders.index\.ts/,
  },
  {
    what: 'a file beside an index that does not import it',
    files: { 'orders/index.ts': source('list'), 'orders/ship.ts': source('ship') },
    says: /^tools.orders: .*\(ship\.ts\); export them from tools.orders.index\.ts/,
  },
  {
    what: 'an index two levels below',
    files: { 'orders/eu/index.ts': source('list') },
    says: /^tools.orders.eu: .*\(index\.ts\); add tools.orders.index\.ts/,
  },
  {
    what: 'CommonJS',
    files: { 'orders/list.cjs': `module.exports = { name: 'list', description: 'Lists.', handler: () => 'list' }` },
    says: /^tools.orders: .*\(list\.cjs\)/,
  },
  {
    what: 'many files',
    files: Object.fromEntries(Array.from('abcdefg', name => [`orders/${name}.ts`, source(name)])),
    says: /\(a\.ts, b\.ts, c\.ts, d\.ts, e\.ts, 2 more\)/,
  },
  { what: 'a folder that is set aside', files: { '_old/list.ts': source('list'), 'orders/_list.ts': source('list') } },
  { what: 'tests', files: { 'orders/list.test.ts': source('list') } },
  {
    what: 'helpers',
    files: { 'lib/handler.ts': `export const handler = () => 'x'`, 'lib/url.ts': 'export default 1' },
  },
  {
    what: 'files that an index imports, one of them when it runs',
    files: {
      'orders/index.ts': `import list from './list.ts'
const get = await import('./' + 'get.ts')
export default [list, get.default]`,
      'orders/list.ts': source('list'),
      'orders/get.ts': source('get'),
    },
  },
]

const findTold = (lines: readonly Record<string, unknown>[]) =>
  lines.filter(({ msg }) => msg === 'likely mistake in a tools folder').map(({ file, reason }) => `${file}: ${reason}`)

for (const { what, files, says } of ROWS) {
  t.test(`the log ${says === undefined ? 'has nothing to say of' : 'names'} ${what}`, async t => {
    const { app } = await serve(t, { 'top.ts': source('top'), ...files })

    const told = findTold(app.logs.lines)
    t.equal(told.length, says === undefined ? 0 : 1, told.join('\n'))
    if (says !== undefined) t.match(told[0], says)
    t.ok((await names(app)).includes('top'))
  })
}

t.test('a reload says it of what is new, and of what has come back', async t => {
  const { app, write } = await serve(t, { 'orders/list.ts': source('list') })
  t.equal(findTold(app.logs.lines).length, 1)

  await app.toolrack.reload()
  t.equal(findTold(app.logs.lines).length, 1)

  write({ 'orders/index.ts': `export { default } from './list.ts'` })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['list'])
  t.equal(findTold(app.logs.lines).length, 1)

  write({ 'orders/get.ts': source('get') })
  await app.toolrack.reload()
  t.match(findTold(app.logs.lines)[1], /\(get\.ts\); export them from/)
})
