// Each page is on the map, and each guide that can be worked through here has a test that does; its commands do not scroll.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import t from 'tap'

const guides = globSync('docs/guides/*.md')
const read = (path: string) => readFileSync(path, 'utf8')

/** Their tests are elsewhere: they need an identity provider, a cluster, Redis, or several programs. */
const NOT_WORKED_THROUGH = [
  'access',
  'api-keys',
  'broker',
  'deploy',
  'http',
  'identity-providers',
  'library',
  'migrating',
  'on-behalf-of',
  'replicas',
  'sqlite',
  'tenants',
  'testing',
  'workloads',
]

t.test('the map has every page but those of decisions', async t => {
  const map = read('docs/README.md')
  for (const path of globSync('docs/**/*.md', { exclude: ['docs/decisions/**', 'docs/README.md'] }))
    t.match(map, `](${relative('docs', path)})`)
})

t.test('each guide has a test that reads it and sees which blocks were run', async t => {
  t.ok(guides.length > NOT_WORKED_THROUGH.length)
  for (const path of guides) {
    const name = basename(path, '.md')
    if (NOT_WORKED_THROUGH.includes(name)) continue
    const test = `test/processes/guides/${name}.test.ts`
    t.ok(existsSync(test), test)
    t.match(read(test), path)
    t.match(read(test), 'page.left()')
  }
})

/** A setting has no place where it could break. */
t.test('no command of a guide is longer than 100 characters', async t => {
  const commands = guides.flatMap(path =>
    [...read(path).matchAll(/^```sh\n([\s\S]*?)```/gm)].flatMap(([, code]) => code!.split('\n')),
  )

  t.strictSame(
    commands.filter(line => line.length > 100 && !/^[A-Z_]+=\S+$/.test(line)),
    [],
  )
})
