import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { build } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/eventually.ts'
import { answer, names, serve, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { folder } from '../../../toolrack/source.ts'

const watched = { watchTools: true }

t.test('a folder that is watched: files that come, change and go', async t => {
  const { app, write, news, announced } = await serve(t, { 'a.ts': source('a') }, watched)

  write({ 'b.ts': source('b') })
  await news.next(1)
  t.strictSame(await names(app), ['a', 'b'])

  write({ 'a.ts': source('a2') })
  await news.next(2)
  t.strictSame(await names(app), ['a2', 'b'])

  write({ 'b.ts': undefined })
  await news.next(3)
  t.strictSame(await names(app), ['a2'])
  t.equal(await announced(), 3)
})

t.test('a folder that is watched: a new folder with an index', async t => {
  const { app, write, news } = await serve(t, {}, watched)

  write({ 'deep/index.ts': `export { default } from './tool.ts'`, 'deep/tool.ts': source('deep') })
  await news.next(1)

  t.strictSame(await names(app), ['deep'])
})

t.test('a folder that is watched: an edit of a helper', async t => {
  const { write, news, announced } = await serve(
    t,
    {
      'a.ts': `import { description } from './_text.ts'\nexport default { name: 'a', description, handler: () => '' }`,
      '_text.ts': `export const description = 'old'`,
    },
    watched,
  )

  write({ '_text.ts': `export const description = 'new'` })
  await news.next(1)

  t.equal(await announced(), 1)
})

t.test('a folder that is watched: an edit of a test loads no tool again', async t => {
  const counting = `let calls = 0\nexport default { name: 'a', handler: () => String(++calls) }`
  const { app, write, news } = await serve(t, { 'a.ts': counting, 'a.test.ts': '// one' }, watched)
  t.equal(await answer(app, 'a'), '1')

  write({ 'a.test.ts': '// other', 'a.d.ts': 'export {}' })
  write({ 'b.ts': source('b') })
  await news.next(1)

  t.strictSame(await names(app), ['a', 'b'])
  t.equal(await answer(app, 'a'), '2')
})

t.test('a folder that is watched: editors that write beside a file and rename', async t => {
  const { app, path, news, announced } = await serve(t, { 'a.ts': source('a', { answer: 'old' }) }, watched)

  for (const [index, description] of ['one', 'two'].entries()) {
    writeFileSync(join(path, '.a.ts.swp'), 'noise')
    writeFileSync(join(path, '4913'), 'noise')
    writeFileSync(join(path, 'a.ts~'), 'noise')
    writeFileSync(join(path, 'a.ts.tmp'), source('a', { description, answer: description }))
    unlinkSync(join(path, '4913'))
    renameSync(join(path, 'a.ts.tmp'), join(path, 'a.ts'))
    unlinkSync(join(path, 'a.ts~'))
    await news.next(index + 1)
    t.equal(await answer(app, 'a'), description)
  }

  t.equal(await announced(), 2)
})

t.test('a folder that is watched: saves that change nothing that is listed are served and not announced', async t => {
  const { app, write, news, announced } = await serve(t, { 'a.ts': source('a', { answer: 'old' }) }, watched)

  write({ 'a.ts': source('a', { answer: 'old' }) })
  write({ 'a.ts': source('a', { answer: 'new' }) })
  write({ 'b.ts': source('b') })
  await news.next(1)

  t.equal(await answer(app, 'a'), 'new')
  t.equal(await announced(), 1)
})

t.test('a folder that is watched may have a hidden name', async t => {
  const folder = tempFolder(t, {}, '.tools')
  const { app, news } = await serveFolder(t, folder.path, watched)

  folder.write({ 'a.ts': source('a') })
  await news.next(1)

  t.strictSame(await names(app), ['a'])
})

t.test('a folder within node_modules is read', async t => {
  const folder = tempFolder(t, { 'a.mjs': source('a') }, 'node_modules')
  const { app } = await serveFolder(t, folder.path)

  t.strictSame(await names(app), ['a'])
})

const says = (name: string, text: string) => source(name, { answer: text, description: text })

t.test('a folder that is watched may be removed and made again, renamed and replaced, with what is in it', async t => {
  const { app, path, write } = await serve(t, { 'a.ts': says('a', 'first') }, watched)
  const becomes = (text: string) => until(async () => (await answer(app, 'a')) === text, text)
  const isNamed = () => until(async () => /cannot be read/.test((await app.inject('/ready')).body), 'the fault')

  rmSync(path, { recursive: true })
  await isNamed()
  write({ 'a.ts': says('a', 'made again') })
  await becomes('made again')
  write({ 'a.ts': says('a', 'changed') })
  await becomes('changed')

  renameSync(path, `${path}-away`)
  await isNamed()
  renameSync(`${path}-away`, path)
  write({ 'a.ts': says('a', 'back') })
  await becomes('back')

  renameSync(path, `${path}-old`)
  write({ 'a.ts': says('a', 'another folder') })
  await becomes('another folder')
  write({ 'a.ts': says('a', 'changed again') })
  await becomes('changed again')

  rmSync(dirname(path), { recursive: true })
  await isNamed()
  write({ 'a.ts': says('a', 'with its parent') })
  await becomes('with its parent')
})

t.test('a folder that is watched: a folder in it that is replaced by another of its name', async t => {
  const index = `import { word } from './_word.ts'\nexport default { name: 'a', handler: () => word }`
  const word = (text: string) => `export const word = '${text}'`
  const { app, path, write } = await serve(t, { 'a/index.ts': index, 'a/_word.ts': word('one') }, watched)
  const becomes = (text: string) => until(async () => (await answer(app, 'a')) === text, text)

  renameSync(join(path, 'a'), join(path, '_old'))
  write({ 'a/index.ts': index, 'a/_word.ts': word('two') })
  await becomes('two')
  write({ 'a/_word.ts': word('three') })
  await becomes('three')
  rmSync(join(path, 'a'), { recursive: true })
  write({ 'a/index.ts': index, 'a/_word.ts': word('four') })
  await becomes('four')
  write({ 'a/_word.ts': word('five') })
  await becomes('five')
})

t.test('a folder that is watched: a file behind a link, and the link', async t => {
  const other = tempFolder(t, { 'a.ts': says('a', 'linked') })
  const { app, path } = await serve(t, {}, watched)
  const becomes = (text: string) => until(async () => (await answer(app, 'a')) === text, text)

  symlinkSync(join(other.path, 'a.ts'), join(path, 'a.ts'))
  await becomes('linked')
  other.write({ 'a.ts': says('a', 'changed') })
  await becomes('changed')
  rmSync(join(path, 'a.ts'))
  writeFileSync(join(path, 'a.ts'), says('a', 'a file'))
  await becomes('a file')
})

t.test('a folder that is watched may come later, and the folder that it is in, too', async t => {
  const { path, write } = tempFolder(t)
  const app = await build(t, { ...watched, sources: [folder(join(path, 'deep', 'tools'))] })
  t.strictSame(await names(app), [])

  write({ 'deep/tools/a.ts': source('a') })
  await until(async () => (await names(app)).includes('a'), 'the tool')
})
