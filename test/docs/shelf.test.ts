// What an operator is told of the shelf, against what the tools read.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build } from '../support/app.ts'
import { SHIPPED } from '../support/tools/shipped.ts'

const SETTING = /\b[A-Z]+(?:_[A-Z]+)*_(?:AGENT|ALLOW|DIR|KEY|REPOSITOR(?:Y|IES)|TOKEN|URL)\b/g
/** Look like settings, and are an address and what Brave calls a fault. */
const OTHERS = new Set(['AZURE_AGENT', 'SUBSCRIPTION_TOKEN'])

const sources = readdirSync('tools', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !name.includes('node_modules'))
  .map(name => readFileSync(join('tools', name), 'utf8'))
const docs = ['docs/reference/shelf.md', 'docs/reference/database.md'].map(path => readFileSync(path, 'utf8'))
/** The names of the settings that have an item in a list. */
const told = docs.flatMap(doc => [...doc.matchAll(/^- `([A-Z]+(?:_[A-Z]+)+)`: /gm)].map(([, name]) => name!))

t.test('docs/reference/shelf.md: every setting that a tool reads has an item, and no other', async t => {
  const read = new Set(sources.flatMap(source => source.match(SETTING) ?? []).filter(name => !OTHERS.has(name)))

  t.strictSame([...told].filter(name => name.match(SETTING)).sort(), [...read].sort())
})

t.test(
  'docs/reference/shelf.md: every setting with an item is one that some tool says it reads, so that slips of it are found',
  async t => {
    const { toolrack } = await build(t, SHIPPED)

    t.strictSame([...toolrack.toolSettings].sort(), told.toSorted())
  },
)

t.test('what a tool says to install is what it is tested with', async t => {
  const { dependencies } = JSON.parse(readFileSync('tools/package.json', 'utf8'))
  const { default: defined } = await import('../../tools/query-database.ts')
  const told = [defined]
    .flat()
    .flatMap(({ requires }) => JSON.stringify(requires).match(/@electric-sql\/pglite@[\d.]+/g) ?? [])

  t.ok(told.length > 0)
  for (const each of told)
    t.match(`@electric-sql/pglite@${dependencies['@electric-sql/pglite']}`, each.replace('@0', '@^0'))
})

t.test('docs/reference/shelf.md: every tool and every scope is named', async t => {
  const names = sources.flatMap(source => /\bdefineTool\(\{\s*name: '(\w+)'/.exec(source)?.[1] ?? [])
  const scopes = sources.flatMap(source => source.match(/\b[a-z]+:(?:read|write|run)\b/g) ?? [])

  t.ok(names.length >= 15)
  for (const each of [...names, ...scopes]) t.ok(docs.join('').includes(`\`${each}\``), each)
})
