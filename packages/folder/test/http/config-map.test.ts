// A ConfigMap of Kubernetes as the tools folder: links that an update swaps all at once.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configMapVolume } from '../../../../test/support/config-map.ts'
import { until } from '../../../../test/support/eventually.ts'
import { answer, type Files, names, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'

async function serveConfigMap(t: Test, files: Files) {
  const volume = configMapVolume(join(tempFolder(t).path, 'volume'), files)
  return { volume, ...(await serveFolder(t, volume.path, { watchTools: true })) }
}

t.test('each tool is served once, whatever the links', async t => {
  const { app } = await serveConfigMap(t, {
    'one.js': source('one'),
    'two.mjs': source('two'),
    'three.ts': source('three'),
  })

  t.strictSame((await names(app)).sort(), ['one', 'three', 'two'])
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 40),
    [],
  )
})

t.test('an update is noticed: changed, new and removed tools', async t => {
  const { app, volume, announced } = await serveConfigMap(t, {
    'kept.js': source('kept'),
    'changed.js': source('changed', { answer: 'before' }),
    'gone.js': source('gone'),
  })
  t.equal(await answer(app, 'changed'), 'before')

  volume.update({
    'kept.js': source('kept'),
    'changed.js': source('changed', { answer: 'after' }),
    'added.js': source('added'),
  })

  await until(async () => (await answer(app, 'changed')) === 'after', 'the change is served')
  t.strictSame((await names(app)).sort(), ['added', 'changed', 'kept'])
  t.equal(await announced(), 1)
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 40),
    [],
  )
})

const IMPORTER = `import { word } from './_word.js'
import { other } from './other.js'
export default { name: 'says', handler: () => word + ' ' + other() }
`
const OTHER = (answer: string) => `export const other = () => ${JSON.stringify(answer)}
export default { name: 'other', handler: other }
`

t.test('a changed helper is read again, also if it is a tool, update after update', async t => {
  const versions = ['one', 'two', 'three', 'four']
  const files = (word: string, other: string) => ({
    '_word.js': `export const word = '${word}'`,
    'other.js': OTHER(other),
    'says.js': IMPORTER,
  })
  const { app, volume } = await serveConfigMap(t, files('zero', 'zero'))
  t.equal(await answer(app, 'says'), 'zero zero')

  for (const version of versions) {
    volume.update(files(version, 'zero'))
    await until(async () => (await answer(app, 'says')) === `${version} zero`, `the helper ${version}`)
  }
  for (const version of versions) {
    volume.update(files('four', version))
    await until(async () => (await answer(app, 'says')) === `four ${version}`, `the tool ${version}`)
    t.equal(await answer(app, 'other'), version)
  }
})

t.test('a version that does not load leaves the one before, and the next one is served', async t => {
  const { app, volume } = await serveConfigMap(t, { 'tool.js': source('tool', { answer: 'one' }) })

  volume.update({ 'tool.js': 'export default {' })
  await until(() => app.logs.lines.some(({ level }) => level >= 40), 'it is logged')
  t.equal(await answer(app, 'tool'), 'one')
  volume.update({ 'tool.js': source('tool', { answer: 'three' }) })

  await until(async () => (await answer(app, 'tool')) === 'three', 'the next one')
})

t.test('CommonJS is read again, too', async t => {
  const common = (answer: string) =>
    `module.exports = { name: 'common', handler: () => require('./_word.cjs') + '${answer}' }`
  const { app, volume } = await serveConfigMap(t, { 'common.cjs': common('a'), '_word.cjs': `module.exports = 'x'` })
  t.equal(await answer(app, 'common'), 'xa')

  volume.update({ 'common.cjs': common('b'), '_word.cjs': `module.exports = 'x'` })
  await until(async () => (await answer(app, 'common')) === 'xb', 'the tool')
  volume.update({ 'common.cjs': common('b'), '_word.cjs': `module.exports = 'y'` })
  await until(async () => (await answer(app, 'common')) === 'yb', 'the helper')
})
