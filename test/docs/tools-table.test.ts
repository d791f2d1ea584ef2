// docs/reference/shelf.md says of each shipped tool what its definition says.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { PAGE, tableOfTools, withTable } from '../../scripts/docs/tools-table.ts'

t.test('the table of the shipped tools is what their definitions say; npm run docs writes it', async t => {
  const page = readFileSync(PAGE, 'utf8')

  t.equal(page, withTable(page, await tableOfTools('tools')))
})

t.test('a page that has no place for the table is not written', async t => {
  t.throws(() => withTable('# Shelf\n', '| tool |'), /docs\/reference\/shelf\.md has no place/)
})

t.test('a row has the arguments, the needs, the scopes and the effect of its tool', async t => {
  const table = await tableOfTools('tools')

  t.match(table, /^\| `calculate_sum` \| `a`, `b` \| – \| – \| reads \|$/m)
  t.match(
    table,
    /^\| `web_search` \| [^|]+ \| `SEARCH_URL` or `BRAVE_API_KEY` \| `web:read` \| reads, outside; 15 s \|$/m,
  )
  t.match(table, /^\| `analyze_csv` \| `csv`\?, .* or as a task \|$/m)
  t.match(table, /^\| `delete_file` \| `path`, `confirmed`\? \| `FILES_DIR` \| `files:write` \| may destroy \|$/m)
})
