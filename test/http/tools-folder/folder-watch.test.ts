import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { answer, names, serve, serveFolder, source, tempFolder } from '../../support/tools-folder.ts'

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
