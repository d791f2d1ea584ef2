import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { answer, names, serve, serveFolder, source, tempFolder } from './temp-folder.ts'

t.test('a folder serves its sources and the index of its folders, and nothing else', async t => {
  const { app } = await serve(t, {
    'a.ts': source('a'),
    'b.js': source('b'),
    'c.mjs': source('c'),
    'd/index.ts': source('d'),
    'e/index.js': source('e'),
    'f/index.mjs': source('f'),
    '_hidden.ts': source('no1'),
    '.hidden.ts': source('no2'),
    'a.test.ts': source('no3'),
    'a.spec.js': source('no4'),
    'types.d.ts': 'export declare const no: 5',
    'd/other.ts': source('no6'),
    '_d/index.ts': source('no7'),
    '.d/index.ts': source('no8'),
    'd/deep/index.ts': source('no9'),
    'node_modules/index.ts': source('no10'),
    'notes.md': 'no',
    'data.json': '{}',
  })

  t.strictSame(await names(app), ['a', 'b', 'c', 'd', 'e', 'f'])
  t.notMatch(app.logs.text, /not loaded|not served/)
})

t.test('a file may export several definitions, of any kind', async t => {
  const { app } = await serve(t, {
    'all.ts': `import { definePrompt, defineTool } from 'toolrack'
      const handler = () => 'hello'
      export default [
        defineTool({ name: 'a', handler }),
        { name: 'b', handler },
        definePrompt({ name: 'c', handler }),
      ]`,
  })

  t.strictSame(await names(app), ['a', 'b'])
  t.equal(await answer(app, 'b'), 'hello')
})

t.test('adding, editing and removing a file are announced once each', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'b.ts': source('b') })
  await app.toolrack.reload()
  t.equal(await announced(), 1, 'added')
  t.strictSame(await names(app), ['a', 'b'])

  write({ 'b.ts': source('b', { description: 'new' }) })
  await app.toolrack.reload()
  t.equal(await announced(), 2, 'edited')

  write({ 'b.ts': undefined })
  await app.toolrack.reload()
  t.equal(await announced(), 3, 'removed')
  t.strictSame(await names(app), ['a'])
})

t.test('several files that change together are announced once', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b') })

  write({ 'a.ts': source('a2'), 'b.ts': undefined, 'c.ts': source('c') })
  await app.toolrack.reload()

  t.equal(await announced(), 1)
  t.strictSame(await names(app), ['a2', 'c'])
})

t.test('a save that changes nothing announces nothing', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'a.ts': source('a') })
  await app.toolrack.reload()

  t.equal(await announced(), 0)
})

t.test('an edit of the handler alone serves the new code and announces nothing', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a', { answer: 'old' }) })
  t.equal(await answer(app, 'a'), 'old')

  write({ 'a.ts': source('a', { answer: 'new' }) })
  await app.toolrack.reload()

  t.equal(await answer(app, 'a'), 'new')
  t.equal(await announced(), 0)
})

t.test('a file that is renamed announces nothing', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'a.ts': undefined, 'z.ts': source('a') })
  await app.toolrack.reload()

  t.strictSame(await names(app), ['a'])
  t.equal(await announced(), 0)
})

t.test('a helper that changes reaches the tools that import it, however deep', async t => {
  const { app, write, announced } = await serve(t, {
    'a.ts': `import { word } from './_words.ts'
      export default { name: 'a', handler: () => word }`,
    '_words.ts': `export { word } from './lib/deep.js'`,
    'lib/deep.js': `export const word = 'old'`,
  })
  t.equal(await answer(app, 'a'), 'old')

  write({ 'lib/deep.js': `export const word = 'new'` })
  await app.toolrack.reload()

  t.equal(await answer(app, 'a'), 'new')
  t.equal(await announced(), 0)
})

const counting = (name: string, version = 1) => `import { defineTool } from 'toolrack'
import { counter } from './_counter.ts'
export default defineTool({ name: '${name}', handler: () => ${version} + ' ' + ++counter.value })`

t.test('tools go on sharing a helper when one of them is edited', async t => {
  const { app, write } = await serve(t, {
    '_counter.ts': 'export const counter = { value: 0 }',
    'a.ts': counting('a'),
    'b.ts': counting('b'),
  })
  await answer(app, 'a')

  write({ 'b.ts': counting('b', 2) })
  await app.toolrack.reload()

  t.equal(await answer(app, 'b'), '2 2')
  t.equal(await answer(app, 'a'), '1 3')
})

t.test('a tool file that another one imports is reloaded for both', async t => {
  const b = (word: string) => `${source('b', { answer: word })}\nexport const word = '${word}'`
  const { app, write } = await serve(t, {
    'a.ts': `import { defineTool } from 'toolrack'
      import { word } from './b.ts'
      export default defineTool({ name: 'a', handler: () => word })`,
    'b.ts': b('old'),
  })
  t.equal(await answer(app, 'a'), 'old')

  write({ 'b.ts': b('new') })
  await app.toolrack.reload()

  t.equal(await answer(app, 'b'), 'new')
  t.equal(await answer(app, 'a'), 'new')
})

t.test('CommonJS tools and helpers are reloaded too', async t => {
  const a = (version: number) => `const { defineTool } = require('toolrack')
const { word } = require('./_word.cjs')
module.exports = defineTool({ name: 'a', handler: () => word + ${version} })`
  const { app, write } = await serve(t, { 'a.js': a(1), '_word.cjs': `exports.word = 'old'` })
  t.equal(await answer(app, 'a'), 'old1')

  write({ 'a.js': a(2) })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'old2')

  write({ '_word.cjs': `exports.word = 'new'` })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'new2')
})

t.test('toolrack is this very package, wherever the folder is', async t => {
  const { app } = await serve(
    t,
    {
      'a.ts': `import { defineTool, ToolError } from 'toolrack'
        export default defineTool({ name: 'a', handler() { throw new ToolError('meant for the model') } })`,
      'index/index.ts': `import { fail } from './fail.ts'
        export default { name: 'b', handler: fail }`,
      'index/fail.ts': `import { ToolError } from 'toolrack'
        export function fail() { throw new ToolError('from a helper') }`,
    },
    { errorMessages: 'tool-errors' },
  )

  t.equal(await answer(app, 'a'), 'meant for the model')
  t.equal(await answer(app, 'b'), 'from a helper')
})

t.test('a tool may load something while it runs', async t => {
  const { app } = await serve(t, {
    'a.ts': `export default { name: 'a', handler: async () => (await import('./_later.ts')).default }`,
    '_later.ts': `import { Type } from 'toolrack'
      export default typeof Type.Object`,
  })

  t.equal(await answer(app, 'a'), 'function')
})

t.test('a folder and files behind links', async t => {
  const { path, write } = tempFolder(t, { 'real/a.ts': source('a'), 'real/_b.ts': '', 'served/b.ts': source('b') })
  symlinkSync('../real/a.ts', join(path, 'served/a.ts'))
  symlinkSync('../real/gone.ts', join(path, 'served/gone.ts'))
  symlinkSync('served', join(path, 'link'))
  const { app } = await serveFolder(t, join(path, 'link'))
  t.strictSame(await names(app), ['a', 'b'])

  write({ 'real/a.ts': source('a', { answer: 'new' }) })
  await app.toolrack.reload()

  t.equal(await answer(app, 'a'), 'new')
})

t.test('a second server of the same folder sees what is in it now', async t => {
  const folder = tempFolder(t, { 'a.ts': source('a', { answer: 'old' }) })
  const first = await serveFolder(t, folder.path)
  folder.write({ 'a.ts': source('a', { answer: 'new' }) })

  const second = await serveFolder(t, folder.path)

  t.equal(await answer(second.app, 'a'), 'new')
  t.equal(await answer(first.app, 'a'), 'old')
})

t.test('two files with the same name: the first is served, the other refused by name and place', async t => {
  const { app, write, announced } = await serve(t, {
    'a.ts': source('same', { answer: 'a' }),
    'b.ts': source('same', { answer: 'b' }),
    'c.ts': source('c'),
  })

  t.strictSame(await names(app), ['c', 'same'])
  t.equal(await answer(app, 'same'), 'a')
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool not served'),
    { level: 50, file: /b\.ts$/, reason: /same is already defined in .*a\.ts$/ },
  )

  write({ 'a.ts': undefined })
  await app.toolrack.reload()

  t.equal(await answer(app, 'same'), 'b', 'the other takes over')
  t.equal(await announced(), 0)
})

t.test('two definitions of the same name in one file: the first is served', async t => {
  const { app } = await serve(t, {
    'a.ts': `export default [
      { name: 'same', handler: () => 1 },
      { name: 'same', handler: () => 2 },
      { name: 'c', handler: () => 3 },
    ]`,
  })

  t.strictSame(await names(app), ['c', 'same'])
  t.equal(await answer(app, 'same'), '1')
  t.match(app.logs.text, /same is already defined in the same file/)
})

t.test('a file does not take the place of what the program has registered', async t => {
  const own = defineTool({ name: 'same', handler: () => 'program' })
  const { app, write } = await serve(t, { 'a.ts': source('same', { answer: 'file' }) }, { tools: [own] })
  t.equal(await answer(app, 'same'), 'program')
  t.match(app.logs.text, /same is already defined in the program/)

  write({ 'a.ts': undefined })
  await app.toolrack.reload()

  t.equal(await answer(app, 'same'), 'program')
})

t.test('an invalid tool in an array does not stop the others', async t => {
  const { app } = await serve(t, {
    'a.ts': `export default [
      { name: 'a', handler: () => 1 },
      { name: 'not a name', handler: () => 2 },
      { name: 'b', inputSchema: { type: 'object', properties: { x: { type: 'nonsense' } } }, handler: () => 3 },
      5,
      null,
      { name: 'c', handler: () => 4 },
    ]`,
  })

  t.strictSame(await names(app), ['a', 'c'])
  const refusals = app.logs.lines.filter(({ msg }) => msg === 'tool not served')
  t.match(refusals, [
    { file: /a\.ts$/, reason: /"not a name".*name/ },
    { reason: /"b": inputSchema.*properties.x.type/ },
    { reason: /needs defineTool/ },
    { reason: /needs defineTool/ },
  ])
})
