// The modules that the pages show are those of test/support/examples, which `npm run typecheck` compiles.
import { readFileSync } from 'node:fs'
import t from 'tap'

const EXAMPLES = {
  'README.md': ['tool'],
  'docs/library.md': ['plugin', 'several-servers', 'own-callers', 'whole-server'],
}

for (const [page, names] of Object.entries(EXAMPLES)) {
  t.test(`${page} shows what is compiled`, async t => {
    const shown = [...readFileSync(page, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)

    t.strictSame(
      shown.filter(code => code.includes("from 'toolrack'")),
      names.map(name => readFileSync(`test/support/examples/${name}.ts`, 'utf8')),
    )
  })
}
