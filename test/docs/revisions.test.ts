// test/revisions.md names tests: each of them exists, each row names one, and the matrix has every
// test of a page about tools.
import { existsSync, globSync, readFileSync } from 'node:fs'
import t from 'tap'

const doc = readFileSync('test/revisions.md', 'utf8')
const NAMED = /`([\w./-]+\.(?:test\.ts|json)) › ([^`]+)`/g
const named = [...doc.matchAll(NAMED)].map(([, file, name]) => ({ file: file!, name: name! }))

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Those of packages are named from the root. */
const toPath = (file: string) => (file.startsWith('packages/') ? file : `test/${file}`)

/** The names of a file's tests, as patterns: what is filled in where it runs may be anything. */
function namesOf(file: string): RegExp[] {
  const source = readFileSync(toPath(file), 'utf8')
  if (file.endsWith('.json')) return JSON.parse(source).map(({ about }: { about: string }) => exactly([about]))
  return [...source.matchAll(/t\.test\(\s*(['"`])(.*?)(?<!\\)\1/gs)].map(([, , name]) =>
    exactly(name!.replace(/\\(['"`])/g, '$1').split(/\$\{[^}]*\}/)),
  )
}

const exactly = (parts: string[]) => new RegExp(`^${parts.map(escaped).join('.+')}$`)

t.test('every test that the page names exists', async t => {
  t.ok(named.length > 100)
  for (const { file, name } of named) {
    const isThere = existsSync(toPath(file)) && namesOf(file).some(pattern => pattern.test(name))
    t.ok(isThere, `${file} › ${name}`)
  }
})

t.test('every row of the two tables names a test', async t => {
  const rows = doc.split('\n').filter(line => line.startsWith('| ') && line.split(' | ').length > 3)
  const bare = rows.filter(line => !line.includes('›') && !line.includes('---') && !line.includes('| tests |'))

  t.strictSame(bare, [])
})

t.test('every test of a page about tools is in the matrix', async t => {
  for (const path of globSync('test/http/tools-pages/*.test.ts')) {
    const file = path.slice('test/'.length)
    const names = named.filter(each => each.file === file).map(({ name }) => name)
    for (const pattern of namesOf(file))
      t.ok(
        names.some(name => pattern.test(name)),
        `${file} ${pattern.source}`,
      )
  }
})
