// Files beside the tools folder that tool files import count as helpers, wherever they are.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type { Log } from '../../../../src/request/exchange.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { answer, type Files, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { ImportedElsewhere } from '../../src/elsewhere.ts'
import { createToolRoots } from '../../src/tool-roots.ts'
import { FolderWatch } from '../../src/watch.ts'

/** A project whose tools are in `tools/`. */
async function serveProject(t: Test, files: Files, options = {}) {
  const project = tempFolder(t, files, 'project')
  const served = await serveFolder(t, join(project.path, 'tools'), options)
  const save = async (changed: Record<string, string | undefined>) => {
    project.write(changed)
    await served.app.toolrack.reload()
  }
  return { ...served, ...project, save }
}

const tool = (name: string, from: string, what = 'word') => `import { ${what} } from '${from}'
  export default { name: '${name}', handler: () => String(${what}) }`

t.test('a module beside the folder is read again after it has changed', async t => {
  const { app, save, announced } = await serveProject(t, {
    'tools/a.ts': tool('a', '../src/word.ts'),
    'src/word.ts': `export { word } from './deep/word.js'`,
    'src/deep/word.js': `export const word = 'one'`,
  })
  t.equal(await answer(app, 'a'), 'one')

  await save({ 'src/deep/word.js': `export const word = 'two'` })
  t.equal(await answer(app, 'a'), 'two')
  await save({ 'src/deep/word.js': `export const word = 'three'` })
  t.equal(await answer(app, 'a'), 'three')
  await save({ 'src/word.ts': `export const word = 'four'` })
  t.equal(await answer(app, 'a'), 'four')
  t.equal(await announced(), 0)
})

t.test('so is one that package.json names, and one of a linked workspace', async t => {
  const files = {
    'package.json': `{ "name": "shop", "type": "module", "imports": { "#lib/*": "./lib/*" } }`,
    'tools/a.ts': tool('a', '#lib/word.ts'),
    'tools/b.ts': tool('b', '@shop/words'),
    'lib/word.ts': `export const word = 'old'`,
    'packages/words/package.json': `{ "name": "@shop/words", "type": "module", "exports": "./main.js" }`,
    'packages/words/main.js': `export const word = 'old'`,
  }
  const project = tempFolder(t, files, 'project')
  const link = join(project.path, 'node_modules/@shop/words')
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync('../../packages/words', link)
  const { app } = await serveFolder(t, join(project.path, 'tools'))
  t.strictSame([await answer(app, 'a'), await answer(app, 'b')], ['old', 'old'])

  project.write({
    'lib/word.ts': `export const word = 'new'`,
    'packages/words/main.js': `export const word = 'new'`,
  })
  await app.toolrack.reload()

  t.strictSame([await answer(app, 'a'), await answer(app, 'b')], ['new', 'new'])
})

t.test('a package in node_modules is loaded once', async t => {
  const { app, save } = await serveProject(t, {
    'tools/a.ts': tool('a', 'words'),
    'tools/_helper.ts': '1',
    'node_modules/words/package.json': `{ "name": "words", "type": "module", "exports": "./main.js" }`,
    'node_modules/words/main.js': `export const word = 'old'`,
  })
  await answer(app, 'a')

  await save({ 'node_modules/words/main.js': `export const word = 'new'`, 'tools/_helper.ts': '2' })

  t.equal(await answer(app, 'a'), 'old')
})

t.test('CommonJS, JSON and what is imported later', async t => {
  const { app, save } = await serveProject(t, {
    'tools/a.cjs': `const { word } = require('../src/word.cjs')
      module.exports = { name: 'a', handler: () => word }`,
    'tools/b.ts': tool('b', '../src/word.cjs'),
    'tools/c.ts': `import { word } from '../src/json.ts'
      export default { name: 'c', handler: () => word }`,
    'tools/d.ts': `export default { name: 'd', handler: async () => (await import('../src/later.ts')).word }`,
    'tools/e.cjs': `module.exports = { name: 'e', handler: async () => (await import('../src/later.ts')).word }`,
    'src/word.cjs': `exports.word = require('./deep.cjs').word + require('./data.json').word`,
    'src/deep.cjs': `exports.word = 'old '`,
    'src/data.json': `{ "word": "old" }`,
    'src/json.ts': `import data from './data.json' with { type: 'json' }
      export const { word } = data`,
    'src/later.ts': `export const word = 'old'`,
  })
  const all = async () => Promise.all(['a', 'b', 'c', 'd', 'e'].map(name => answer(app, name)))
  t.strictSame(await all(), ['old old', 'old old', 'old', 'old', 'old'])

  await save({ 'src/deep.cjs': `exports.word = 'new '` })
  t.strictSame(await all(), ['new old', 'new old', 'old', 'old', 'old'])
  await save({ 'src/data.json': `{ "word": "new" }`, 'src/later.ts': `export const word = 'new'` })
  t.strictSame(await all(), ['new new', 'new new', 'new', 'new', 'new'])
})

t.test('modules that import each other, and one that imports from the folder', async t => {
  const { app, save } = await serveProject(t, {
    'tools/a.ts': tool('a', '../src/one.ts'),
    'tools/_end.ts': `export const end = 'end'`,
    'src/one.ts': `import { two } from './two.ts'
      export const start = 'old'
      export const word = () => two()
      word.toString = () => two()`,
    'src/two.ts': `import { start } from './one.ts'
      import { end } from '../tools/_end.ts'
      export const two = () => start + ' ' + end`,
  })
  t.equal(await answer(app, 'a'), 'old end')

  await save({ 'tools/_end.ts': `export const end = 'of it'` })
  t.equal(await answer(app, 'a'), 'old of it')
  await save({
    'src/two.ts': `import { start } from './one.ts'
      export const two = () => start + ' again'`,
  })
  t.equal(await answer(app, 'a'), 'old again')
})

const COUNTER = `export const counter = { value: 0 }`

t.test('a module that has not changed stays loaded, with what it holds', async t => {
  const { app, save } = await serveProject(t, {
    'tools/a.ts': `import { counter } from '../src/counter.ts'
      import { word } from '../src/word.ts'
      export default { name: 'a', handler: () => word + ' ' + ++counter.value }`,
    'tools/_helper.ts': '1',
    'src/counter.ts': COUNTER,
    'src/word.ts': `export const word = 'old'`,
  })
  t.equal(await answer(app, 'a'), 'old 1')

  await save({ 'src/word.ts': `export const word = 'new'` })
  t.equal(await answer(app, 'a'), 'new 2')
  await save({ 'tools/_helper.ts': '2' })
  t.equal(await answer(app, 'a'), 'new 3')
})

t.test('a module that does not load, or is missing, is read again once it is mended', async t => {
  const { app, save } = await serveProject(t, {
    'tools/a.ts': tool('a', '../src/word.ts'),
    'tools/b.ts': tool('b', '../src/missing.ts'),
    'src/word.ts': `export const word = 'old'`,
  })
  t.equal(await answer(app, 'a'), 'old')

  await save({ 'src/word.ts': 'export const word = ' })
  t.equal(await answer(app, 'a'), 'old')
  await save({ 'src/word.ts': `export const word = 'new'`, 'src/missing.ts': `export const word = 'there'` })
  t.equal(await answer(app, 'a'), 'new')
  t.equal(await answer(app, 'b'), 'there')
})

t.test('what two folders, or two servers, import', async t => {
  const files = {
    'one/a.ts': tool('a', '../src/word.ts'),
    'two/b.ts': tool('b', '../src/word.ts'),
    'src/word.ts': `export const word = 'old'`,
  }
  const { path, write } = tempFolder(t, files, 'project')
  const folders = [join(path, 'one'), join(path, 'two')]
  const both = await serveFolder(t, folders)
  const other = await serveFolder(t, folders[1]!)
  t.strictSame(
    [await answer(both.app, 'a'), await answer(both.app, 'b'), await answer(other.app, 'b')],
    Array(3).fill('old'),
  )

  write({ 'src/word.ts': `export const word = 'new'` })
  await both.app.toolrack.reload()
  t.strictSame(
    [await answer(both.app, 'a'), await answer(both.app, 'b'), await answer(other.app, 'b')],
    ['new', 'new', 'old'],
  )

  await other.app.toolrack.reload()
  t.equal(await answer(other.app, 'b'), 'new')
})

t.test('an isolated tool gets the newest one', async t => {
  const isolated = `import { word } from '../src/word.ts'
    export default { name: 'a', isolate: true, handler: () => word }`
  const { app, save } = await serveProject(t, { 'tools/a.ts': isolated, 'src/word.ts': `export const word = 'old'` })
  t.equal(await answer(app, 'a'), 'old')

  await save({ 'src/word.ts': `export const word = 'new'` })

  t.equal(await answer(app, 'a'), 'new')
})

t.test('hooks get the newest one', async t => {
  const { app, save } = await serveProject(t, {
    'tools/a.ts': source('a'),
    'tools/_hooks.ts': `import { word } from '../src/word.ts'
      export const onCall = () => word`,
    'src/word.ts': `export const word = 'old'`,
  })
  t.equal(await answer(app, 'a'), 'old')

  await save({ 'src/word.ts': `export const word = 'new'` })

  t.equal(await answer(app, 'a'), 'new')
})

t.test('what the program has imported itself is shared with it, and the log says that it stays', async t => {
  const project = tempFolder(
    t,
    {
      'tools/a.ts': tool('a', '../src/word.ts'),
      'src/word.ts': `export const word = { toString: () => word.text, text: 'old' }`,
    },
    'project',
  )
  const { word } = await import(join(project.path, 'src/word.ts'))
  const { app } = await serveFolder(t, join(project.path, 'tools'))
  word.text = 'of the program'
  t.equal(await answer(app, 'a'), 'of the program')

  project.write({ 'src/word.ts': `export const word = 'new'` })
  await app.toolrack.reload()
  await app.toolrack.reload()

  t.equal(await answer(app, 'a'), 'of the program')
  const told = app.logs.lines.filter(({ file, msg }) => file?.endsWith('word.ts') && msg?.includes('restart'))
  t.equal(told.length, 1)
})

t.test('files are read by their own syntax, whatever the package says', async t => {
  const { app } = await serveProject(t, {
    'package.json': `{ "type": "commonjs" }`,
    'tools/a.ts': tool('a', '../src/word.ts'),
    'src/word.ts': `export const word = 'a module'`,
  })

  t.equal(await answer(app, 'a'), 'a module')
})

t.test('a change is noticed while the folder is watched, also in a file that is written anew', async t => {
  const { app, write } = await serveProject(
    t,
    { 'tools/a.ts': tool('a', '../src/word.ts'), 'src/word.ts': `export const word = 'one'` },
    { watchTools: true },
  )
  t.equal(await answer(app, 'a'), 'one')

  for (const word of ['two', 'three']) {
    write({ 'src/word.ts': undefined })
    write({ 'src/word.ts': `export const word = '${word}'` })
    await eventually(async () => (await answer(app, 'a')) === word, word)
  }
  write({ 'tools/a.ts': tool('a', '../lib/other.ts'), 'lib/other.ts': `export const word = 'four'` })
  await eventually(async () => (await answer(app, 'a')) === 'four', 'the other file')
  write({ 'lib/other.ts': `export const word = 'five'` })
  await eventually(async () => (await answer(app, 'a')) === 'five', 'its change')
})

t.test('so is one in a file that a handler imports when it runs, and in a folder that is made anew', async t => {
  const { app, path, write } = await serveProject(
    t,
    {
      'tools/a.ts': `export default { name: 'a', handler: async () => (await import('../src/deep/word.ts')).word }`,
      'src/deep/word.ts': `export const word = 'one'`,
    },
    { watchTools: true },
  )
  t.equal(await answer(app, 'a'), 'one')

  write({ 'src/deep/word.ts': `export const word = 'two'` })
  await eventually(async () => (await answer(app, 'a')) === 'two', 'its change')
  rmSync(join(path, 'src'), { recursive: true })
  write({ 'src/deep/word.ts': `export const word = 'three'` })
  await eventually(async () => (await answer(app, 'a')) === 'three', 'the folder made anew')
})

t.test('a file that is written all the time is read now and then', async t => {
  const { app, write } = await serveProject(
    t,
    { 'tools/a.ts': tool('a', '../src/word.ts'), 'src/word.ts': `export const word = 'one'` },
    { watchTools: true },
  )

  await eventually(async () => {
    write({ 'src/word.ts': `export const word = 'two'` })
    write({ 'tools/a.ts': `${tool('a', '../src/word.ts')} // ${Math.random()}` })
    return (await answer(app, 'a')) === 'two'
  }, 'its change')
})

t.test('past its limits, the log says what needs a reload', async t => {
  const files = Object.fromEntries(
    ['a', 'b', 'c'].map(name => [`src/${name}/word.ts`, `export const word = '${name}'`]),
  )
  const imports = ['a', 'b', 'c'].map(name => `import { word as ${name} } from '../src/${name}/word.ts'`)
  const { path, write } = tempFolder(
    t,
    { 'tools/a.ts': `${imports.join('\n')}\nexport default { name: 'a', handler: () => a + b + c }`, ...files },
    'project',
  )
  const { app } = await serveFolder(t, join(path, 'tools'))
  t.equal(await answer(app, 'a'), 'abc')
  const told: string[] = []
  const log = { warn: (_fields: object, text: string) => void told.push(text) } as unknown as Log
  const roots = createToolRoots([join(path, 'tools')])
  const elsewhere = new ImportedElsewhere(roots, log, 2)
  const watch = new FolderWatch(log, () => {}, 1)
  t.teardown(() => watch.close())
  t.teardown(() => elsewhere.close())

  elsewhere.watchBy(watch)
  elsewhere.follow()
  elsewhere.follow()
  t.strictSame(told, [
    'of the files that tools import from elsewhere, changes of the first 2 count',
    'the first 1 folders of tools are watched; changes in others need a reload',
  ])

  write({ 'src/c/word.ts': `export const word = 'past the limit'` })
  t.equal(elsewhere.read(), false)
  write({ 'src/a/word.ts': `export const word = 'within it'` })
  t.equal(elsewhere.read(), true)
})

t.test('the log says where a file elsewhere is at fault', async t => {
  const { app } = await serveProject(t, {
    'tools/a.ts': tool('a', '../src/throws.ts'),
    'tools/b.ts': tool('b', '../src/broken.ts'),
    'src/throws.ts': `\nthrow new Error('no database')\nexport const word = 1`,
    'src/broken.ts': `\n\nexport const word = }`,
  })

  const places = app.logs.lines.filter(({ msg }) => msg === 'tool file not loaded').map(({ at }) => at)
  t.match(places, [/src\/throws\.ts:2$/, /src\/broken\.ts:3$/])
})
