// What of a tools folder keeps a server from being ready, and what it only says: `TOOLS_STRICT`.
import { renameSync } from 'node:fs'
import Fastify from 'fastify'
import t from 'tap'
import { createServer, type ServerOptions, toolrack } from '../../../../src/index.ts'
import { jsonLines } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/eventually.ts'
import { type Files, names, serve, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'

const STRICT: ServerOptions = { toolsStrict: true }
const GOOD = { 'a.ts': source('a') }

type Ready = { status: string; degraded?: string[] }
async function ready(app: { inject(path: string): Promise<{ statusCode: number; json(): unknown }> }) {
  const reply = await app.inject('/ready')
  return { code: reply.statusCode, ...(reply.json() as Ready) }
}

for (const [what, files, reason] of [
  ['a file that throws', { 'b.ts': `\nthrow new Error('no')` }, /tools\/b\.ts:2: no$/],
  ['a syntax error', { 'b.ts': 'export default {' }, /tools\/b\.ts:1: /],
  ['a file without a tool', { 'b.ts': 'export const x = 1' }, /tools\/b\.ts: has no default export/],
  ['a definition that is refused', { 'b.ts': source('not a name') }, /tools\/b\.ts: tool "not a name"/],
  ['a tool that is defined twice', { 'b.ts': source('a') }, /tools\/b\.ts: tool a is already defined/],
  ['a dependency that is not installed', { 'b.ts': `import 'not-there'\n${source('b')}` }, /not-there/],
  ['hooks that do not load', { '_hooks.ts': `throw new Error('no rules')` }, /_hooks\.ts: no rules\); nothing/],
  [
    'a slip in the name of hooks',
    { '_hook.ts': 'export const visible = () => true' },
    /_hook\.ts: hooks are read from/,
  ],
] as const) {
  t.test(`strict: ${what} keeps it from being ready, alive, and serving the rest, until it is mended`, async t => {
    const { app, write } = await serve(t, { ...GOOD, ...(files as Files) }, STRICT)

    t.match(await ready(app), { code: 503, status: 'starting', degraded: [reason] })
    t.equal((await app.inject('/health')).statusCode, 200)
    if (!Object.keys(files).some(file => file.startsWith('_'))) t.ok((await names(app)).includes('a'))
    const [line, ...others] = app.logs.lines.filter(({ msg }) => msg?.startsWith('not ready until'))
    t.match(line, { level: 40, hint: /TOOLS_STRICT=false/ })
    t.strictSame(others, [])

    const isHooks = (file: string) => file === '_hooks.ts'
    const mended = (file: string) => [file, isHooks(file) ? 'export const visible = () => true' : undefined]
    write(Object.fromEntries(Object.keys(files).map(mended)))
    await app.toolrack.reload()
    t.strictSame(await ready(app), { code: 200, status: 'ready' })
    t.ok(app.logs.lines.some(({ msg }) => msg?.startsWith('ready: everything')))
  })
}

t.test('strict: a folder without a file of a tool is not ready', async t => {
  const { app, write } = await serve(t, {}, STRICT)

  t.match(await ready(app), { code: 503, degraded: [/^tools folder .*tools: it has no file of a tool$/] })
  write(GOOD)
  await app.toolrack.reload()
  t.equal((await ready(app)).code, 200)
})

t.test('strict: tools that lack a setting, or are left out, are no fault', async t => {
  const files = { ...GOOD, 'b.ts': `export default { name: 'b', requires: ['TEST_NO_KEY'], handler: () => '' }` }
  const { app } = await serve(t, files, { ...STRICT, toolsInclude: 'b' })

  t.strictSame(await ready(app), { code: 200, status: 'ready' })
})

t.test('strict: a bad change after all was served keeps it ready, and degraded says so', async t => {
  const { app, write } = await serve(t, { ...GOOD, 'b.ts': source('b') }, STRICT)
  t.strictSame(await ready(app), { code: 200, status: 'ready' })

  write({ 'a.ts': `throw new Error('saved too early')` })
  await app.toolrack.reload()
  t.match(await ready(app), { code: 200, status: 'ready', degraded: [/a\.ts:1: saved too early$/] })
  t.strictSame(await names(app), ['a', 'b'], 'the earlier tools stay')

  write({ 'b.ts': undefined, '_hooks.ts': `throw new Error('no rules')` })
  await app.toolrack.reload()
  t.match(await ready(app), { code: 200, degraded: [/_hooks\.ts: no rules\); what it served before stays/] })

  write({ ...GOOD, '_hooks.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(await ready(app), { code: 200, status: 'ready' })
})

t.test('strict: newer hooks that do not load are told while the earlier ones stay', async t => {
  const hooks = { '_hooks.ts': 'export const visible = () => true' }
  const { app, write } = await serve(t, { ...GOOD, ...hooks }, STRICT)

  write({ '_hooks.ts': `throw new Error('no rules')` })
  await app.toolrack.reload()
  write({ 'b.ts': source('b') })
  await app.toolrack.reload()
  t.match(await ready(app), { code: 200, degraded: [/_hooks\.ts: no rules; the earlier hooks stay$/] })

  write({ '_hooks.ts': 'export const visible = () => true // mended' })
  await app.toolrack.reload()
  t.strictSame(await ready(app), { code: 200, status: 'ready' })
})

t.test('strict: a folder that goes away keeps the server ready', async t => {
  const { app, path } = await serve(t, GOOD, STRICT)

  renameSync(path, `${path}.away`)
  await app.toolrack.reload()

  t.match(await ready(app), { code: 200, degraded: [/it cannot be read \(ENOENT.*what it served before stays/] })
})

t.test('strict: a file that takes long is waited for', async t => {
  const gate = Promise.withResolvers<void>()
  ;(globalThis as { gateOfReadiness?: unknown }).gateOfReadiness = gate.promise
  const { app } = await serve(t, { ...GOOD, 'b.ts': `await globalThis.gateOfReadiness\n${source('b')}` }, STRICT)

  t.strictSame((await ready(app)).code, 503)
  t.match((await ready(app)).degraded, [/b\.ts: it has not loaded yet$/])
  gate.resolve()
  await until(async () => (await ready(app)).code === 200, 'it is ready')
  t.strictSame(await ready(app), { code: 200, status: 'ready' })
})

t.test('strict: a tool that moves to another file is no fault', async t => {
  const { app, write } = await serve(t, { 'b.ts': source('x'), 'c.ts': 'broken' }, STRICT)

  write({ 'a.ts': source('x'), 'b.ts': source('y'), 'c.ts': undefined })
  await app.toolrack.reload()

  t.strictSame(await ready(app), { code: 200, status: 'ready' })
  t.strictSame(await names(app), ['x', 'y'])
})

t.test('strict: every folder has to load', async t => {
  const [one, two] = [tempFolder(t, GOOD), tempFolder(t, { 'b.ts': 'broken' })]
  const { app } = await serveFolder(t, [one.path, two.path], STRICT)

  t.match(await ready(app), { code: 503, degraded: [/tools\/b\.ts/] })
  t.strictSame(await names(app), ['a'])
  two.write({ 'b.ts': undefined, '_hooks.ts': 'export const visible = () => true' })
  await app.toolrack.reload()
  t.strictSame(await ready(app), { code: 200, status: 'ready' }, 'a folder of rules alone is whole')
})

t.test('the reasons are masked, of one line each, and bounded', async t => {
  const secret = 'a-secret-of-the-test-that-is-long'
  process.env['TEST_READINESS_TOKEN'] = secret
  t.teardown(() => delete process.env['TEST_READINESS_TOKEN'])
  const long = Object.fromEntries(
    Array.from({ length: 14 }, (_, n) => [`f${n}.ts`, `throw new Error('${secret}\\nsecond\\n${'x'.repeat(5000)}')`]),
  )
  const { app } = await serve(t, { ...GOOD, ...long }, STRICT)

  const { degraded = [] } = await ready(app)
  t.equal(degraded.length, 11)
  t.equal(degraded.at(-1), 'and 4 more')
  for (const each of degraded) {
    t.ok(each.length <= 401, `${each.length}`)
    t.notMatch(each, /\n/)
    t.notMatch(each, secret)
  }
})

t.test('not strict: what does not load is told, and the server is ready', async t => {
  const { app } = await serve(t, { ...GOOD, 'b.ts': 'broken' }, { toolsStrict: false })

  t.match(await ready(app), { code: 200, status: 'ready', degraded: [/b\.ts/] })
  t.notOk(app.logs.lines.some(({ msg }) => msg?.startsWith('not ready')))
})

t.test('the default is strict in production only, and not of a server without a folder', async t => {
  const before = process.env['NODE_ENV']
  t.teardown(() => {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  })
  for (const [mode, code] of [
    ['production', 503],
    ['development', 200],
  ] as const) {
    process.env['NODE_ENV'] = mode
    const { path } = tempFolder(t, { 'b.ts': 'broken' })
    const app = await createServer({ toolsDir: path, watchTools: false, logLevel: 'silent' })
    t.teardown(() => app.close())
    t.equal((await ready(app)).code, code, mode)
  }
  process.env['NODE_ENV'] = 'production'
  const app = await createServer({ logLevel: 'silent' })
  t.teardown(() => app.close())
  const { stream, lines } = jsonLines()
  const plugin = Fastify({ logger: { stream } })
  t.teardown(() => plugin.close())
  await plugin.register(toolrack, { toolsDir: tempFolder(t, { 'b.ts': 'broken' }).path, watchTools: false })
  t.notOk(
    lines.some(({ msg }) => msg?.startsWith('not ready')),
    'a plugin has no /ready',
  )
  t.equal((await ready(app)).code, 200)
})
