// The log says what a reading of the tools folder has changed, and what to do about a folder that has no tools.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { fakeLog } from '../../../../test/support/fakes.ts'
import { type Served, serve, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { folderSource } from '../folder-source.ts'

const reloads = ({ app }: Served) => app.logs.lines.filter(({ msg }) => msg?.startsWith('tools folder reloaded: '))
const told = ({ added, removed, changed, withheld }: Record<string, unknown>) => ({ added, removed, changed, withheld })
const nothing = told({})

t.test('reload: one line tells which tools were added, removed and changed', async t => {
  const served = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b'), 'c.ts': source('c') })
  t.strictSame(reloads(served), [], 'the start is told by the start-up')

  served.write({ 'a.ts': source('a', { answer: 'new' }), 'b.ts': undefined, 'd.ts': source('d') })
  await served.app.toolrack.reload()

  t.match(reloads(served), [{ level: 30 }])
  t.strictSame(reloads(served).map(told), [{ ...nothing, added: 'd', removed: 'b', changed: 'a' }])
})

t.test('reload: what changes nothing, and a file that does not load, is told by no such line', async t => {
  const served = await serve(t, { 'a.ts': source('a') })

  await served.app.toolrack.reload()
  served.write({ 'a.ts': 'export default' })
  await served.app.toolrack.reload()

  t.strictSame(reloads(served), [])
  t.ok(served.app.logs.lines.some(({ msg, level }) => msg?.startsWith('tool file not loaded') && level === 50))
})

t.test('reload: resources and prompts are told with their kind, and what is not served as such', async t => {
  const served = await serve(t, {})
  served.write({
    'a.ts': `import { defineResource, definePrompt } from 'toolrack'
      export default [
        { name: 'keyed', requires: ['TEST_NO_KEY'], handler: () => '' },
        { name: 'plain', handler: () => '' },
        defineResource({ uri: 'a:b', name: 'r', handler: () => '' }),
        definePrompt({ name: 'p', handler: () => '' }),
      ]`,
  })
  await served.app.toolrack.reload()
  served.write({ 'a.ts': undefined })
  await served.app.toolrack.reload()

  const all = 'plain resource a:b prompt p'
  t.strictSame(reloads(served).map(told), [
    { ...nothing, added: all, withheld: 'keyed' },
    { ...nothing, removed: all },
  ])
  t.match(reloads(served)[0]!.msg, /a\.ts: .*keyed \(not served: needs TEST_NO_KEY\)$/)
})

t.test('reload: a name that goes to another file has changed', async t => {
  const served = await serve(t, { 'a.ts': source('same', { answer: 'a' }), 'b.ts': source('same', { answer: 'b' }) })

  served.write({ 'a.ts': undefined })
  await served.app.toolrack.reload()

  t.strictSame(reloads(served).map(told), [{ ...nothing, changed: 'same' }])
})

t.test('reload: of a file, only what is written differently has changed', async t => {
  const orders = ({ description = 'Ships.', limit = 1, log = '' } = {}) => `
import { Type } from 'toolrack'
const LIMIT = ${limit}
const parts = { description: 'Lists.', inputSchema: Type.Object({ page: Type.Number() }) }
export default [
  { name: 'list', ...parts, handler: () => 'page ' + LIMIT },
  { name: 'ship', description: ${JSON.stringify(description)}, handler: () => 'shipped' },
  { name: 'pay', description: 'Pays.', timeout: 1000, onCall: (call, next) => { ${log}; return next() }, handler: () => '' },
]`
  const served = await serve(t, { 'a.ts': orders() })
  for (const now of [{ description: 'Sends.' }, { description: 'Sends.', log: 'void 0' }, { limit: 2 }]) {
    served.write({ 'a.ts': orders(now) })
    await served.app.toolrack.reload()
  }

  t.match(reloads(served), [
    { changed: 'ship', reloaded: 'list pay', msg: /a\.ts: ship \(changed\), 2 reloaded$/ },
    { changed: 'pay', reloaded: 'list ship' },
    { changed: 'ship pay', reloaded: 'list' },
  ])
  served.write({ 'a.ts': orders({ limit: 3 }) })
  await served.app.toolrack.reload()
  t.match(reloads(served).at(-1), { changed: undefined, msg: /a\.ts: 3 reloaded$/ })
})

t.test('reload: of many tools the first are named, and the rest counted', async t => {
  const served = await serve(t, {})
  const tools = Array.from({ length: 2000 }, (_, index) => `{ name: 'tool_${index}', handler: () => '' }`)

  served.write({ 'a.ts': `export default [${tools}]` })
  await served.app.toolrack.reload()

  const [line] = reloads(served)
  t.match(line.added, /^tool_0 .* tool_19 and 1980 more$/)
  t.match(line.msg, /a\.ts: tool_0, .*, tool_19 and 1980 more \(added\)$/)
  t.ok(line.msg.length < 1000)
})

t.test('reload: the line tells a person which tools of which files, of many files the first', async t => {
  const served = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b') })
  const both = `import b from './_b.ts'\nexport default [{ name: 'a', handler: () => '' }, { name: 'a2', handler: () => '' }, b]`

  served.write({ 'a.ts': both, 'b.ts': undefined, '_b.ts': source('b') })
  await served.app.toolrack.reload()
  served.write(Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`c${n + 10}.ts`, source(`c${n}`)])))
  await served.app.toolrack.reload()

  // The folder is outside the working directory: its place on this machine is in no line.
  const folder = basename(served.path)
  const lines = reloads(served).map(({ msg }) => msg.replaceAll(`${folder}/`, ''))
  t.equal(lines[0], 'tools folder reloaded: a.ts: a2 (added), a, b (changed)')
  t.match(lines[1], /: c10\.ts: c0 \(added\); .*; c19\.ts: c9 \(added\); and 3 more files$/)
})

const bare = ({ lines }: { lines: { text: string; level: string; fields: object }[] }) =>
  lines.filter(({ text }) => text === 'no tools')

for (const [what, prepare, reason] of [
  ['is not there', (path: string) => rmSync(path, { recursive: true }), 'there is no such folder'],
  ['is empty', () => {}, 'the folder has no file of a tool'],
  [
    'has other files only',
    (path: string) => writeFileSync(join(path, '_a.ts'), ''),
    'the folder has no file of a tool',
  ],
] as const) {
  t.test(`a tools folder that ${what} is one warning that says what to do, and doing it helps`, async t => {
    const { path } = tempFolder(t)
    prepare(path)
    const log = fakeLog()
    const { source, load, served } = folderSource([path], log, { isWatched: true })
    t.teardown(() => source.close())

    await load()
    await load()

    t.match(bare(log), [{ level: 'warn', fields: { folder: path, reason } }])
    t.equal(log.lines.length, 1)
    const { hint } = bare(log)[0]!.fields as { hint: string }
    const [, example] =
      /hello\.ts with: (.*); or set TOOLS_DIR to where your tools are, or SAMPLES=true .*$/.exec(hint) ?? []
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'hello.ts'), example!)
    await until(() => served().includes('hello'), 'the example is served')
    t.equal(log.lines.length, 2)
    t.match(log.lines[1], {
      level: 'info',
      text: /^tools folder reloaded: .*hello\.ts: hello \(added\)$/,
      fields: { added: 'hello' },
    })
  })
}
