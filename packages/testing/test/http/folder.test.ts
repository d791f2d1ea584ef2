// testTools of a folder: its files load as a server loads them, and what does not load fails the test.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { testTools } from '../../src/index.ts'

t.test('the tools of a folder are served, with its hooks, by a path or a URL', async t => {
  const { path } = tempFolder(t, {
    'one.ts': source('one', { answer: '1' }),
    'two.ts': source('two', { answer: '2' }),
    '_hooks.ts': `export const onCall = async (call, next) => call.tool.name + await next()`,
  })
  for (const what of [path, pathToFileURL(path)]) {
    const tools = await testTools(what)
    t.teardown(() => tools.close())
    t.equal((await tools.call('one')).text, 'one1')
    t.equal((await tools.call('two')).text, 'two2')
  }
})

t.test('every file that does not load, and every definition that is not served, is named', async t => {
  const { path } = tempFolder(t, {
    'good.ts': source('good'),
    'throws.ts': `const a = 1\nthrow new Error('no database')`,
    'empty.ts': 'export {}',
    'many.ts': `export default [{ name: 'bad name', handler: () => '' }, { name: 'good', handler: () => '' }]`,
  })

  const error = await testTools(path).catch(thrown => thrown)

  t.match(error.message, /^The tools folder is not served as it stands:\n/)
  t.match(error.message, /throws\.ts:2: no database/)
  t.match(error.message, /empty\.ts: has no default export/)
  t.match(error.message, /many\.ts: tool "bad name"/)
  t.match(error.message, /many\.ts: tool good is already defined in .*good\.ts/)
})

t.test('hooks that do not load fail the test', async t => {
  const { path } = tempFolder(t, { 'one.ts': source('one'), '_hooks.ts': 'export const onCall = 1' })

  await t.rejects(testTools(path), { message: /_hooks\.ts: onCall must be a function/ })
})

t.test('`setup` and `close` of a file run, and a `setup` that fails is named', async t => {
  const seen = ((globalThis as { seen?: string[] }).seen = [] as string[])
  const exports = `export const setup = () => void globalThis.seen.push('setup')
export const close = () => void globalThis.seen.push('close')`
  const { path, write } = tempFolder(t, { 'one.ts': `${source('one')}\n${exports}` })

  const tools = await testTools(path)
  t.equal((await tools.call('one')).text, 'one')
  await tools.close()
  t.strictSame(seen, ['setup', 'close'])

  write({ 'two.ts': `${source('two')}\nexport const setup = () => { throw new Error('no database') }` })
  await t.rejects(testTools(path), { message: /two\.ts(?::\d+)?: .*no database/ })
})

t.test('a `close` that fails rejects the close of the test', async t => {
  const failing = `export const close = () => { throw new Error('no database') }`
  const { path } = tempFolder(t, { 'one.ts': `${source('one')}\n${failing}`, 'two.ts': source('two') })

  const tools = await testTools(path)

  await t.rejects(tools.close(), { message: /^Tool files could not be closed:\n\S+one\.ts: no database$/ })
})

t.test('a folder without a tool file fails the test', async t => {
  const { path } = tempFolder(t, { '_helper.ts': '' })

  await t.rejects(testTools(path), {
    message: `${path} has no file of a tool, such as hello.ts; is it the right folder?`,
  })
})

t.test('a folder that is not there fails the test', async t => {
  await t.rejects(testTools(join(tempFolder(t).path, 'none')), { message: /^toolsDir: expected a folder that exists/ })
})

t.test('a file that loads slowly is waited for', async t => {
  const slow = `await new Promise(resolve => setTimeout(resolve, 2200))\n${source('slow')}`
  const { path } = tempFolder(t, { 'slow.ts': slow, 'fast.ts': source('fast') })

  const tools = await testTools(path)
  t.teardown(() => tools.close())

  t.equal((await tools.call('slow')).text, 'slow')
})

t.test('the files of a folder, and the tests beside them, may import toolrack/testing', async t => {
  const { path } = tempFolder(t, {
    'checks.ts': `import { defineTool } from 'toolrack'
import { testTools } from 'toolrack/testing'
export default defineTool({
  name: 'check',
  async handler() {
    const tools = await testTools({ name: 'inner', handler: () => 'checked' })
    const { text } = await tools.call('inner')
    await tools.close()
    return text
  },
})`,
  })

  const tools = await testTools(path)
  t.teardown(() => tools.close())

  t.equal((await tools.call('check')).text, 'checked')
})
