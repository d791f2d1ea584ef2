// The modules that the pages show are files: `npm run typecheck` compiles those of test/support/examples.
// `npm run test:slow` runs those of docs/guides/testing.md and docs/guides/.
import { readFileSync } from 'node:fs'
import t from 'tap'

const guide = (name: string, ...modules: string[]) => modules.map(each => `support/examples/guides/${name}/${each}`)

const EXAMPLES = {
  'README.md': ['support/examples/tool'],
  'docs/guides/databases.md': guide('databases', '_sqlite', 'find-products', 'reserve-product', '_postgres'),
  'docs/guides/files.md': guide('files', 'measure-image', 'export-orders'),
  'docs/guides/long-jobs.md': guide('long-jobs', 'make-report'),
  'docs/guides/rest-api.md': guide('rest-api', 'find-orders', 'find-orders-test'),
  'docs/guides/sign-in.md': guide('sign-in', 'orders'),
  'docs/reference/kits/door.md': ['support/examples/door/chat', 'support/examples/door/websocket'],
  'docs/reference/kits/state.md': ['support/examples/state/used-tokens', 'support/examples/state/suite'],
  'docs/reference/kits/source.md': ['support/examples/source/mcp'],
  'docs/guides/library.md': [
    'support/examples/plugin',
    'support/examples/several-servers',
    'support/examples/own-callers',
    'support/examples/whole-server',
    'support/examples/options',
    'support/examples/ended',
  ],
  'docs/guides/testing.md': ['cancel-order', 'first', 'refusals', 'clock', 'contract'].map(
    name => `support/examples/testing/${name}`,
  ),
}

for (const [page, names] of Object.entries(EXAMPLES)) {
  t.test(`${page} shows what is compiled or run`, async t => {
    const shown = [...readFileSync(page, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)

    t.strictSame(
      shown.filter(code => /^import /m.test(code)),
      names.map(name => readFileSync(`test/${name}.ts`, 'utf8')),
    )
  })
}
