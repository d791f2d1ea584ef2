import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { answer, names, serve, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'

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
