// Which module a process loads for an isolated tool, and when it loads it anew.
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { build, callTool } from '../../../../test/support/app.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const tool = (handler: string) => `{ name: 'a', isolate: true, handler: ${handler} }`

t.test('isolate: a file that was changed, or its helper, is loaded anew', async t => {
  const helper = (answer: string) => `export const answer = '${answer}'`
  const tools = tempFolder(t, {
    'a.ts': `import { answer } from './_b.ts'\nexport default ${tool(`() => 'one ' + answer`)}`,
    '_b.ts': helper('b'),
  })
  const app = await build(t, { toolsDir: tools.path, watchTools: false })
  t.equal((await callTool(app, 'a')).content[0].text, 'one b')

  tools.write({ '_b.ts': helper('c') })
  await app.toolrack.reload()
  t.equal((await callTool(app, 'a')).content[0].text, 'one c')

  tools.write({ 'a.ts': `export default ${tool(`() => 'two'`)}` })
  await app.toolrack.reload()
  t.equal((await callTool(app, 'a')).content[0].text, 'two')
})

t.test('isolate: a program names the module that exports the tool', async t => {
  const { path } = tempFolder(t, {
    'own.ts': `export const own = { name: 'own', isolate: import.meta.url, handler: () => String(process.pid) }`,
  })
  const { own } = await import(`${path}/own.ts`)
  const app = await build(t, { tools: [own] })

  t.not((await callTool(app, 'own')).content[0].text, String(process.pid))
})

t.test('isolate: what a process could not load is refused when it is registered', async t => {
  const app = await build(t)
  const REFUSED: [isolate: true | string, why: RegExp][] = [
    [true, /isolate: true is for files of a tools folder/],
    [pathToFileURL(process.argv[1]!).href, /isolate: the module is the program itself/],
    ['file:///nowhere/at-all.ts', /isolate: the module does not exist/],
    ['https://example.com/tool.js', /isolate: must be true, or the file: URL/],
  ]

  for (const [isolate, why] of REFUSED) {
    t.throws(() => app.toolrack.add(defineTool({ name: 'x', isolate, handler: () => '' })), { message: why })
  }
})
