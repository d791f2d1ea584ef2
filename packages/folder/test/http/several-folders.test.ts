// Several tools folders of one server: each has its own files and dependencies; names and hooks are
// those of all.
import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { readEnvironment } from '../../../../packages/environment/src/read.ts'
import { createServer, type ServerOptions } from '../../../../src/index.ts'
import { until } from '../../../../test/support/eventually.ts'
import { answer, type Files, names, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'

/** A server of two folders, both named `tools`. */
async function serveTwo(t: Test, first: Files, second: Files, options: ServerOptions = {}) {
  const folders = [tempFolder(t, first), tempFolder(t, second)] as const
  const served = await serveFolder(
    t,
    folders.map(({ path }) => path),
    options,
  )
  const [one, two] = folders
  const nameOf = (path: string) => join(basename(dirname(path)), 'tools')
  const reload = () => served.app.toolrack.reload()
  const findLine = (msg: string) => served.app.logs.lines.findLast(line => line.msg === msg)
  return { ...served, one, two, oneName: nameOf(one.path), twoName: nameOf(two.path), reload, findLine }
}

const word = (text: string) => `import word from 'word'
export default { name: '${text}', handler: () => word }`
const dependency = (text: string): Files => ({
  'node_modules/word/package.json': '{"name":"word","main":"index.js"}',
  'node_modules/word/index.js': `module.exports = '${text}'`,
})

t.test('the tools of all folders are served, each with the dependencies beside it', async t => {
  const { app } = await serveTwo(
    t,
    { 'a.mjs': word('a'), ...dependency('first') },
    { 'b.mjs': word('b'), ...dependency('second') },
  )

  t.strictSame(await names(app), ['a', 'b'])
  t.equal(await answer(app, 'a'), 'first')
  t.equal(await answer(app, 'b'), 'second')
})

t.test(
  'a variable names several folders; an option names them in an array, in which a comma is part of a path',
  async t => {
    const [one, two] = [tempFolder(t, { 'a.ts': source('a') }), tempFolder(t, { 'b.ts': source('b') }, 'x,y')]

    const both = await serveFolder(t, [one.path, two.path])
    t.strictSame(await names(both.app), ['a', 'b'])
    const other = tempFolder(t, { 'c.ts': source('c') })
    t.strictSame(readEnvironment({ TOOLS_DIR: `${one.path}, ${other.path}` }).toolsDir, [one.path, other.path])
    await t.rejects(createServer({ toolsDir: two.path }), {
      message: /toolsDir: expected 1 to 20 folders, in an array/,
    })
  },
)

t.test('a name that two folders define is that of the first; the log names both files', async t => {
  const { app, oneName, twoName, findLine } = await serveTwo(
    t,
    { 'z.ts': source('same', { answer: 'first' }) },
    { 'a.ts': source('same', { answer: 'second' }), 'b.ts': source('b') },
  )

  t.equal(await answer(app, 'same'), 'first')
  t.strictSame(await names(app), ['b', 'same'])
  t.match(findLine('tool not served'), {
    level: 50,
    file: join(twoName, 'a.ts'),
    reason: `tool same is already defined in ${join(oneName, 'z.ts')}; rename or remove one`,
  })
})

t.test('a reload serves what a restart would: an earlier folder takes a name, and gives it back', async t => {
  const { app, one, oneName, reload, findLine } = await serveTwo(
    t,
    {},
    {
      'a.ts': `export default ['same', 'b'].map(name => ({ name, handler: () => 'second' }))`,
    },
  )
  t.equal(await answer(app, 'same'), 'second')

  one.write({ 'z.ts': source('same', { answer: 'first' }) })
  await reload()
  t.equal(await answer(app, 'same'), 'first')
  t.equal(await answer(app, 'b'), 'second')
  t.match(findLine('tool not served'), { reason: new RegExp(`already defined in ${oneName}`) })

  await reload()
  t.equal(await answer(app, 'same'), 'first', 'also if nothing has changed')
  one.write({ 'z.ts': undefined })
  await reload()
  t.equal(await answer(app, 'same'), 'second')
})

t.test('a tool moves from one folder to another, in both directions', async t => {
  const { app, one, two, reload } = await serveTwo(t, { 'a.ts': source('a', { answer: 'first' }) }, {})

  one.write({ 'a.ts': undefined })
  two.write({ 'a.ts': source('a', { answer: 'second' }) })
  await reload()
  t.equal(await answer(app, 'a'), 'second')
  two.write({ 'a.ts': undefined })
  one.write({ 'a.ts': source('a', { answer: 'first again' }) })
  await reload()
  t.equal(await answer(app, 'a'), 'first again')
})

t.test('hooks of each folder hold for the tools of all, the first around the second', async t => {
  const hooks = (name: string) => `export const onCall = async (call, next) => \`${name} \${await next()}\`
export const visible = tool => tool.name !== 'hidden_by_${name}'`
  const { app } = await serveTwo(
    t,
    { 'a.ts': source('a'), 'h.ts': source('hidden_by_two'), '_hooks.ts': hooks('one') },
    { 'b.ts': source('b'), 'h.ts': source('hidden_by_one'), '_hooks.ts': hooks('two') },
  )

  t.strictSame(await names(app), ['a', 'b'])
  t.equal(await answer(app, 'a'), 'one two a')
  t.equal(await answer(app, 'b'), 'one two b')
})

t.test('a folder may have hooks alone, and the log does not ask for tools in it', async t => {
  const { app } = await serveTwo(
    t,
    { '_hooks.ts': `export const visible = tool => tool.name !== 'b'` },
    { 'a.ts': source('a'), 'b.ts': source('b') },
  )

  t.strictSame(await names(app), ['a'])
  t.notOk(app.logs.lines.some(({ msg }) => msg === 'no tools'))
})

t.test('while hooks of one folder have never loaded, nothing of any is served', async t => {
  const { app, two, twoName, reload } = await serveTwo(
    t,
    { 'a.ts': source('a') },
    { 'b.ts': source('b'), '_hooks.ts': `throw new Error('no rules')` },
  )

  t.strictSame(await names(app), [])
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 503)
  t.match(ready.json().degraded, [new RegExp(`^tools folder ${twoName}: .*_hooks\\.ts: no rules`)])

  two.write({ '_hooks.ts': `export const visible = tool => tool.name === 'a'` })
  await reload()
  t.strictSame(await names(app), ['a'])
  t.equal((await app.inject('/ready')).statusCode, 200)
})

t.test('new hooks that do not load leave every folder as it is, and the server ready', async t => {
  const { app, one, two, reload } = await serveTwo(t, { 'a.ts': source('a') }, {})

  two.write({ '_hooks.ts': `throw new Error('no rules')` })
  one.write({ 'b.ts': source('b') })
  await reload()

  t.strictSame(await names(app), ['a'])
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 200)
  t.match(ready.json().degraded, [/what it served before stays/])
  two.write({ '_hooks.ts': undefined })
  await reload()
  t.strictSame(await names(app), ['a', 'b'])
})

t.test('a helper of another folder: its change loads the tools again that import it', async t => {
  const two = tempFolder(t, { '_word.ts': `export const word = 'old'` })
  const one = tempFolder(t, {
    'a.ts': `import { word } from ${JSON.stringify(join(two.path, '_word.ts'))}
export default { name: 'a', handler: () => word }`,
  })
  const { app } = await serveFolder(t, [one.path, two.path])
  t.equal(await answer(app, 'a'), 'old')

  two.write({ '_word.ts': `export const word = 'new'` })
  await app.toolrack.reload()

  t.equal(await answer(app, 'a'), 'new')
})

t.test('an isolated tool imports a helper of another folder, which imports toolrack', async t => {
  const two = tempFolder(t, {
    '_fail.ts': `import { ToolError } from 'toolrack'
export const fail = () => { throw new ToolError('as meant') }`,
  })
  const one = tempFolder(t, {
    'a.ts': `import { fail } from ${JSON.stringify(join(two.path, '_fail.ts'))}
export default { name: 'a', isolate: true, handler: () => fail() }`,
  })
  const { app } = await serveFolder(t, [one.path, two.path])

  t.equal(await answer(app, 'a'), 'as meant')
})

t.test('each folder is watched', async t => {
  const { app, one, two } = await serveTwo(t, {}, {}, { watchTools: true })

  one.write({ 'a.ts': source('a') })
  await until(async () => (await names(app)).includes('a'), 'the first is followed')
  two.write({ 'b.ts': source('b') })
  await until(async () => (await names(app)).includes('b'), 'the second is followed')
  t.strictSame(await names(app), ['a', 'b'])
})

t.test('TOOLS_INCLUDE chooses from all folders', async t => {
  const { app } = await serveTwo(
    t,
    { 'a.ts': source('get_a'), 'b.ts': source('put_b') },
    { 'c.ts': source('get_c'), 'd.ts': source('put_d') },
    { toolsInclude: 'get_*' },
  )

  t.strictSame(await names(app), ['get_a', 'get_c'])
})

t.test('one folder that cannot be read any more keeps what it served, and the other goes on', async t => {
  const { app, one, two, oneName, reload } = await serveTwo(t, { 'a.ts': source('a') }, { 'b.ts': source('b') })
  renameSync(one.path, `${one.path}.away`)
  two.write({ 'c.ts': source('c') })
  await reload()

  t.strictSame(await names(app), ['a', 'b', 'c'])
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 200)
  t.match(ready.json().degraded, [new RegExp(`^tools folder ${oneName}: it cannot be read \\(ENOENT`)])
})

for (const [what, create] of [
  ['a folder within another', (base: string) => [base, join(base, 'in')]],
  ['the outer one after the inner one', (base: string) => [join(base, 'in'), base]],
  ['the same folder twice', (base: string) => [base, `${base}/in/..`]],
  ['a link to the folder', (base: string) => [base, `${base}-link`]],
] as const) {
  t.test(`${what} stops the start`, async t => {
    const { path } = tempFolder(t, { 'a.ts': source('a') })
    mkdirSync(join(path, 'in'))
    symlinkSync(path, `${path}-link`)

    await t.rejects(createServer({ toolsDir: create(path) }), {
      name: 'ConfigError',
      message: /^toolsDir: expected folders apart from each other; .* (?:is in|are the same)/,
    })
  })
}

t.test('folders with names that only begin alike are apart', async t => {
  const { path } = tempFolder(t, { 'a.ts': source('a') })
  mkdirSync(`${path}-more`)

  const { app } = await serveFolder(t, [path, `${path}-more`])

  t.strictSame(await names(app), ['a'])
})
