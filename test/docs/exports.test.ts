// docs/reference/exports.md has a line for each export of each published subpath, and an example of each function.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { EXAMPLES } from '../../scripts/docs/export-examples.ts'
import { exportsPage, PAGE, publishedSubpaths, readExamples, readExports } from '../../scripts/docs/exports.ts'

const page = readFileSync(PAGE, 'utf8')

t.test('the page is what the docstrings say; npm run docs writes it', async t => {
  t.equal(page, await exportsPage())
})

t.test('each subpath that is published has a section', async t => {
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, subpath]) => subpath)

  t.strictSame(sections, publishedSubpaths())
  t.ok(sections.length >= 7)
})

for (const subpath of publishedSubpaths()) {
  t.test(`${subpath}: each export has a sentence, and each function an example`, async t => {
    const examples = readExamples(subpath)
    const all = await readExports(subpath)
    t.ok(all.length > 1)
    for (const { name, kind, meaning } of all) {
      t.match(meaning, /^[A-Z`].{8,}/, `${name} has a docstring`)
      const shown = `${meaning} ${examples.get(name) ?? ''}`
      if (kind === 'function') t.match(shown, new RegExp(`\\b${name}\\b`), `${name} has an example`)
    }
  })

  t.test(`${subpath}: what a program finds at run time is on the page, and no example is of anything else`, async t => {
    const all = await readExports(subpath)
    const file = subpath === 'toolrack' ? 'index' : subpath.slice('toolrack/'.length)
    const found = Object.keys(await import(`../../packages/toolrack/${file}.ts`)).filter(name => name !== 'default')
    const values = all.filter(({ kind }) => kind !== 'type').map(({ name }) => name)

    t.strictSame(values.sort(), found.sort())
    const named = Object.keys((EXAMPLES as Readonly<Record<string, object>>)[subpath] ?? {})
    t.strictSame([...readExamples(subpath).keys()].sort(), named.sort())
    for (const name of named) t.ok(values.includes(name), name)
  })
}
