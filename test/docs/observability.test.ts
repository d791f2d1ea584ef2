// docs/reference/observability.md tells the truth: its metrics are those of the registry, its settings those that there are.
import { globSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { SETTINGS } from '../../src/config/settings.ts'
import { call, callTool } from '../support/app.ts'
import { bearer, guarded } from '../support/auth/guarded.ts'
import { until } from '../support/eventually.ts'
import { parseSeries } from '../support/metrics/series.ts'
import { tool } from '../support/steered-tools.ts'

const page = readFileSync('docs/reference/observability.md', 'utf8')
const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

/** The items of the lists of metrics: name, labels, type. */
const rows = [...page.matchAll(/^### (Counter|Gauge|Histogram)s?\n\n((?:[- ] .*\n)+)/gm)].flatMap(
  ([, type = '', list = '']) =>
    [...list.matchAll(/^- (`[a-z_]+`(?:, `[a-z_]+`)*)(?: by ([^:]*))?:/gm)].flatMap(([, names = '', labels = '']) =>
      words(names).map(name => ({ name, labels: words(labels).sort(), type: type.toLowerCase() })),
    ),
)

const lasting = tool('lasting', () => 'lasted', { task: 'optional' })
const leaves = tool('leaves', () => {
  setTimeout(() => {
    throw new Error('late')
  })
  return 'left'
})

/** A server of which every metric has been counted once. */
async function used(t: Test) {
  const settings = { jwt: { claims: { tenant: 'tenant' } }, tenantClaim: 'tenant', tasks: { inlineMs: 0 } }
  const app = await guarded(t, { tools: [lasting, leaves], ...settings })
  const headers = bearer('', { tenant: 'acme' })
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  await callTool(app, 'lasting', {}, { headers, capabilities })
  await callTool(app, 'leaves', {}, { headers })
  await call(app, 'tools/list', {}, { headers: { ...headers, origin: 'https://elsewhere.example' } })
  await until(() => app.logs.lines.some(({ msg }) => msg === 'task ended'), 'the task ended')
  await until(() => app.logs.lines.some(({ msg }) => msg === 'unhandled error of a tool'), 'the fault was seen')
  return app
}

t.test('docs: each metric of the registry is on the page with its labels, and no other', async t => {
  const app = await used(t)
  const text = await app.toolrack.metrics()
  const series = parseSeries(text)
  const registered = [...text.matchAll(/^# TYPE ((?:toolrack|mcp)_\S+) (\S+)$/gm)].map(([, name = '', type = '']) => {
    const own = series.filter(each => each.name.replace(/_(?:bucket|sum|count)$/, '') === name)
    const labels = new Set(own.flatMap(each => Object.keys(each.labels)).filter(label => label !== 'le'))
    t.ok(own.length > 0, `${name} was counted`)
    return { name, labels: [...labels].sort(), type }
  })

  const byName = (all: typeof rows) => all.sort((one, other) => one.name.localeCompare(other.name))
  t.ok(registered.length > 20)
  t.strictSame(byName(rows), byName(registered))
})

t.test('docs: each setting on the page is one', async t => {
  const names = words(page.replace(/```[\s\S]*?```/g, '')).flatMap(word => word.match(/^[A-Z]+(?:_[A-Z]+)+/) ?? [])

  t.ok(names.includes('METRICS_PORT'))
  t.strictSame(
    names.filter(name => !(name in SETTINGS) && !name.startsWith('OTEL_')),
    [],
  )
})

t.test('docs: each line of the log on the page is one that the code writes', async t => {
  const code = globSync(['{src,packages/*/src}/**/*.ts', 'plugins/*.ts', 'routes/*.ts'])
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const [, section = ''] = /^## Logs\n([\s\S]*?)^## /m.exec(page) ?? []
  const messages = [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].flatMap(([, names = '']) => words(names))

  t.ok(messages.length > 40, String(messages.length))
  const isWritten = (message: string) =>
    [`'${message}')`, `text: '${message}',`, message.replace(/^(.* )…$/, '`$1${')].some(text => code.includes(text))
  for (const message of messages) t.ok(isWritten(message), message)
})
