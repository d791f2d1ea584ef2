// A file of the tools folder is read by its own syntax, whatever "type" the nearest package.json has.
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { answer, type Files, names, serve, tempFolder } from '../../../../test/support/tools-folder.ts'

const MODULE = (name: string, word: string, from = './_word.ts') => `import { text } from 'toolrack'
import { word } from '${from}'
type Nothing = undefined
export default { name: '${name}', handler: () => text(word + '${word}') }`
const PLAIN = (name: string) => `import { word } from './lib/plain.js'
export default { name: '${name}', handler: () => word }`
const COMMON = (name: string) => `const { text } = require('toolrack')
const { word } = require('./lib/common.js')
module.exports = { name: '${name}', handler: () => text(word) }`

const files: Files = {
  '_word.ts': `export const word: string = 'a typed '`,
  'lib/plain.js': `export const word = 'plain'`,
  'lib/common.js': `exports.word = 'common'`,
  'ts.ts': MODULE('ts', 'ts'),
  'mts.mts': MODULE('mts', 'mts'),
  'js.js': PLAIN('js'),
  'mjs.mjs': PLAIN('mjs'),
  'common_js.js': COMMON('common_js'),
  'common_ts.ts': `${COMMON('common_ts')}\ntype Nothing = undefined`,
  'cjs.cjs': COMMON('cjs'),
  'cts.cts': `${COMMON('cts')}\ntype Nothing = undefined`,
  'compiled.js': `"use strict"
Object.defineProperty(exports, '__esModule', { value: true })
exports.default = { name: 'compiled', handler: () => 'compiled' }`,
  'folder/index.ts': MODULE('folder', 'index', '../_word.ts'),
  'apart.ts': `import { word } from './_word.ts'
export default { name: 'apart', isolate: true, handler: () => word + 'apart' }`,
  'common_apart.js': `const { word } = require('./lib/common.js')
module.exports = { name: 'common_apart', isolate: true, handler: () => word }`,
}

const answers = {
  apart: 'a typed apart',
  cjs: 'common',
  common_apart: 'common',
  common_js: 'common',
  common_ts: 'common',
  compiled: 'compiled',
  cts: 'common',
  folder: 'a typed index',
  js: 'plain',
  mjs: 'plain',
  mts: 'a typed mts',
  ts: 'a typed ts',
}

for (const [what, manifest] of [
  ['says "commonjs"', '{ "type": "commonjs" }'],
  ['has no type', '{}'],
  ['says "module"', '{ "type": "module" }'],
] as const) {
  t.test(`package.json ${what}: modules and CommonJS load, with helpers, also in another process`, async t => {
    const { app, write } = await serve(t, { ...files, 'package.json': manifest })

    t.strictSame(await names(app), Object.keys(answers))
    for (const [name, text] of Object.entries(answers)) t.equal(await answer(app, name), text, name)
    t.notMatch(app.logs.text, /not loaded|not served/)

    write({ 'lib/common.js': `exports.word = 'newer'`, 'lib/plain.js': `export const word = 'newer'` })
    await app.toolrack.reload()
    for (const name of ['js', 'common_js', 'common_ts', 'cjs', 'common_apart'])
      t.equal(await answer(app, name), 'newer', name)
  })

  t.test(`package.json ${what}: Node warns of nothing`, async t => {
    const { path } = tempFolder(t, { ...files, 'package.json': manifest })
    const program = `
      import { createServer } from '${pathToFileURL(`${process.cwd()}/src/index.ts`)}'
      const app = await createServer({ toolsDir: ${JSON.stringify(path)}, watchTools: false, logLevel: 'silent' })
      await app.close()`

    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])

    t.equal(stderr, '')
  })
}

t.test('CommonJS exports its setup beside its default', async t => {
  const { app } = await serve(t, {
    'a.cjs': `let word
module.exports = {
  setup() { word = 'ready' },
  default: { name: 'a', description: 'Says if it is ready.', handler: () => word },
}`,
  })

  t.equal(await answer(app, 'a'), 'ready')
})

t.test('what stands in a text or a comment is no syntax of the file', async t => {
  const { app } = await serve(t, {
    'package.json': '{ "type": "module" }',
    'a.js': `/*\nexport default 1\n*/ // import a from 'b'
const page = \`
export default 1
\`
module.exports = { name: 'a', handler: () => page.trim() }`,
    'b.js': `// module.exports = 1
/* exports.a = 1 */ export default { name: 'b', handler: () => 'require("a")' }`,
  })

  t.equal(await answer(app, 'a'), 'export default 1')
  t.equal(await answer(app, 'b'), 'require("a")')
})
