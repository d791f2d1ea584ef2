// What a security review reads: each promise has its tests, and reports go where the project says it lives.
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { readRows } from '../../scripts/docs/security-catalogue.ts'

const model = readFileSync('docs/explain/threat-model.md', 'utf8')
const [, section = ''] = /^## Promises\n([\s\S]*?)^## /m.exec(model) ?? []
const promises = [...section.matchAll(/^- (?:.|\n {2})+/gm)].map(([item]) => ({
  promise: item.replace(/\s+/g, ' ').replace(/: `.*/, ''),
  tests: [...item.matchAll(/`((?:packages\/[a-z-]+\/)?test\/[\w./-]+\.test\.ts)`/g)].map(([, path]) => path!),
}))

t.test('docs: each promise of the threat model has tests that are there', async t => {
  t.ok(promises.length > 30, String(promises.length))
  for (const { promise, tests } of promises) {
    t.ok(tests.length > 0, promise)
    for (const path of tests) t.ok(existsSync(path), `${promise}: ${path}`)
  }
})

t.test('docs: rows of the catalogue that a promise names name one of its tests, too', async t => {
  const rows = new Map(readRows(readFileSync('test/security/README.md', 'utf8')).map(row => [row.number, row.tests]))

  for (const { promise, tests } of promises) {
    const named = promise.match(/\b[A-HOP]\d{1,2}\b/g) ?? []
    for (const number of named) t.ok(rows.has(number), `${promise}: ${number}`)
    const linked = named.map(number => rows.get(number) ?? '').join()
    const isShared = tests.some(path => linked.includes(path.replace(/^test\/(?:security\/)?/, '')))
    t.ok(named.length === 0 || isShared, promise)
  }
})

t.test('docs: SECURITY.md sends reports to the repository of package.json', async t => {
  const { bugs, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
  const page = readFileSync('SECURITY.md', 'utf8')
  const home = repository.url.replace(/^git\+|\.git$/g, '')
  const addresses = [...page.matchAll(/\]\((https?:[^)]+)\)/g)].map(([, url]) => url)

  t.strictSame([...new Set(addresses)].sort(), [home, bugs.url].sort())
  t.notMatch(page, /[\w.]+@[\w-]+\.\w+/, 'a mailbox that nobody reads')
})
