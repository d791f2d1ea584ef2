// The pages that `npm run docs` writes are what the code says.
import { readFileSync } from 'node:fs'
import t from 'tap'
import * as chart from '../../scripts/docs/chart-schema.ts'
import * as clients from '../../scripts/docs/clients.ts'
import * as manifest from '../../scripts/docs/create-manifest.ts'
import * as errors from '../../scripts/docs/errors.ts'
import * as settings from '../../scripts/docs/settings.ts'
import { markdownTable } from '../../scripts/docs/table.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { CATALOGUE } from '../../src/protocol/errors.ts'

const page = readFileSync(settings.PAGE, 'utf8')

t.test('docs/reference/settings.md is what the settings say; npm run docs writes it', async t => {
  t.equal(page, settings.settingsPage())
})

t.test('docs/reference/errors.md is what the catalogue says; npm run docs writes it', async t => {
  t.equal(readFileSync(errors.PAGE, 'utf8'), errors.errorsPage())
})

t.test('the schema of the chart has the settings; npm run docs writes it', async t => {
  const text = readFileSync(chart.PAGE, 'utf8')

  t.equal(text, chart.withSettings(text))
})

t.test('docs/reference/clients.md is what the rows of clients say; npm run docs writes it', async t => {
  t.equal(readFileSync(clients.PAGE, 'utf8'), clients.clientsPage())
})

t.test('packages/create/package.json says what package.json says; npm run docs writes it', async t => {
  t.equal(readFileSync(manifest.PAGE, 'utf8'), manifest.createManifest())
})

t.test('every setting has one row, and no other name has one', async t => {
  const named = [...page.matchAll(/^\| `([A-Z_]+)`<br>/gm)].map(([, name]) => name!)

  t.strictSame(named.sort(), Object.keys(SETTINGS).sort())
})

t.test('a row says the default, in units that are read easily, and which values are taken', async t => {
  t.match(page, '| `PORT`<br>`port`\\* | `3000`<br>0 to 65535 | ')
  t.match(page, '| `MAX_RESULT_BYTES`<br>`limits.maxResultBytes` | `4194304` (4 MiB)<br>1024 to 536870912 | ')
  t.match(page, '| `TASK_TTL_MS`<br>`tasks.ttlMs` | `3600000` (1 h)<br>')
  t.match(page, '| `JWT_JWKS_URL`<br>`jwt.jwksUrl` | –<br>an https URL, or one on loopback | ')
  t.match(page, '| `METRICS_TOKEN`<br>`metrics.token`\\* | –<br>at least 16 bytes | ')
})

t.test('every error has one row, with its code and its status, in the order of the catalogue', async t => {
  const rows = [...errors.errorsPage().matchAll(/^\| `([A-Z_]+)` \| (-?\d+) \| (\d+) \| /gm)]

  t.strictSame(
    rows.map(([, name, code, status]) => [name, Number(code), Number(status)]),
    Object.entries(CATALOGUE).map(([name, { code, status }]) => [name, code, status]),
  )
})

t.test('a bar in a cell does not end it', async t => {
  t.equal(markdownTable(['a'], [['b|c']]), '| a |\n| --- |\n| b\\|c |')
})
