// Rules in a place that does not count: what they may be meant for is not served, and the log and /ready
// name the file and the fix.
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { call } from '../../../../test/support/app.ts'
import { type Files, names, serve, serveFolder, tempFolder } from '../../../../test/support/tools-folder.ts'

/** Imports nothing: in a clone of this repository, the files of an imported `toolrack` would be read for rules, too. */
const source = (name: string) =>
  `export default { name: '${name}', description: 'Says ${name}.', handler: () => '${name}' }\n`

const RULE = `export const visible = tool => tool.name !== 'a'`
const TOOLS: Files = { 'a.ts': source('a'), 'b.ts': source('b') }
const READ_FROM = 'hooks are read from _hooks.ts only; '
const ELSE = ', or, if it has no hooks, give it another name'

const FOR_ALL: [file: string, reason: string, text?: string][] = [
  ['_hooks.tsx', `${READ_FROM}rename it to that${ELSE}`],
  ['_hooks.jsx', `${READ_FROM}rename it to that${ELSE}`],
  ['_hooks.json', `${READ_FROM}rename it to that${ELSE}`, '{}'],
  ['_hooks.ts.txt', `${READ_FROM}rename it to that${ELSE}`],
  ['_hooks', `${READ_FROM}rename it to that${ELSE}`],
  ['_Hooks.ts', `${READ_FROM}rename it to that${ELSE}`],
  ['__hooks.mjs', `${READ_FROM}rename it to that${ELSE}`],
  ['_hook.cjs', `${READ_FROM}rename it to that${ELSE}`, 'exports.visible = () => false'],
  ['.hooks.ts', `${READ_FROM}rename it to that${ELSE}`],
  ['_hooks/index.ts', `${READ_FROM}rename it to that${ELSE}`],
  ['lib/_hooks.ts', `${READ_FROM}move it to the top of the tools folder${ELSE}`],
  ['a/b/c/_hooks.ts', `${READ_FROM}move it to the top of the tools folder${ELSE}`],
  ['hooks.ts', 'exports visible, and hooks are read from _hooks.ts only; rename it to that, or export them beside the'],
  ['Hook.js', 'exports visible, and hooks are read from _hooks.ts only; rename it to that, or'],
  ['hooks.tsx', 'exports visible, and hooks are read from _hooks.ts only; rename it to that, or'],
  ['hooks.ts', 'exports visible, and', 'export default { visible: () => false }'],
  ['hooks.mjs', 'exports visible, and', `export { isAllowed as visible } from './b.ts'`],
  ['hooks/index.ts', 'exports visible, and hooks are read from _hooks.ts only; rename it to that, or'],
  ['hooks/visible.ts', 'exports visible, and', 'export default () => false // visible\nexport const visible = 1'],
  ['rules.ts', 'exports visible, and', 'export function visible() { return false }'],
  ['rules.ts', 'exports visiblePrompt, and', 'export const visiblePrompt = () => false'],
  ['rules.ts', 'exports onReadResource, and', 'export default function onReadResource() {}'],
  ['rules.ts', 'exports onCall, and', 'export async function onCall(call, next) {}'],
  ['rules.ts', 'exports onCall and visible, and', 'const rules = {}\nexport const { onCall, visible } = rules'],
  ['rules.ts', 'exports visible, and', 'const a = () => false\nexport { a as visible }'],
  ['rules.ts', 'exports visible, and', 'export default function visible() { return false }'],
  ['_rules.ts', 'exports visible, and', RULE],
  ['_rules.cjs', 'exports visible, and', 'module.exports = { visible: () => false }'],
  ['_rules.tsx', 'exports visible, and', RULE],
  [
    '_rules.ts',
    'exports onCall, and',
    'export async function onCall(call, next) { const handler = next; return handler() }',
  ],
  ['rules.ts', 'exports visible, and', 'const [a] = [() => false]\nexport const b = 1, visible = a'],
  ['rules.ts', 'exports visible, and', 'export const [visible] = [() => false]'],
  ['rules.ts', 'exports visible, and', 'export default { visible: () => false }'],
  ['rules.cjs', 'exports visible, and', 'module.exports = { meta: {}, visible: () => false }'],
  // What only the import shows.
  ['rules.ts', 'exports visible, and', `const a = () => false\nexport { a as 'visible' }`],
  ['rules.ts', 'exports visible, and', 'export const mark = /`/\nexport const visible = () => mark'],
  ['lib/rules.js', 'exports visible, and hooks are read from _hooks.ts only; move it to the top of', RULE],
]

for (const [file, reason, text = RULE] of FOR_ALL) {
  t.test(`rules in ${file} (${text}) leave no tool open`, async t => {
    const { app } = await serve(t, { ...TOOLS, [file]: text })

    t.strictSame(await names(app), [])
    t.match((await call(app, 'tools/call', { name: 'a', arguments: {} })).error, { code: -32602 })
    const lines = app.logs.lines.filter(({ msg }) => msg?.startsWith('hooks not loaded; '))
    t.equal(lines.length, 1)
    t.match(lines[0], { level: 50, file: `tools/${file}` })
    t.ok(lines[0]?.reason?.startsWith(reason), String(lines[0]?.reason))
    const ready = await app.inject('/ready')
    t.equal(ready.statusCode, 503)
    t.ok(ready.json().degraded[0].includes(`${file}: ${reason.slice(0, 30)}`), ready.body)
  })
}

const SEVERAL: [what: string, files: Files][] = [
  ['a file passes on', { 'rules.ts': `export * from './_b.ts'`, '_b.ts': RULE }],
  ['two files import of each other', { 'x.ts': `import './y.ts'\n${RULE}`, 'y.ts': `import './x.ts'\n${RULE}` }],
  [
    'a tool imports something else from',
    { 'hooks.ts': `${RULE}\nexport const b = 'b'`, 'c.ts': `import { b } from './hooks.ts'\n${source('c')}` },
  ],
]

for (const [what, files] of SEVERAL) {
  t.test(`rules that ${what} leave no tool open, until they are put right`, async t => {
    const { app, write } = await serve(t, { ...TOOLS, ...files })

    t.strictSame(await names(app), [])
    t.equal(app.logs.lines.filter(({ msg }) => msg?.startsWith('hooks not loaded; ')).length, 1)
    t.equal((await app.inject('/ready')).statusCode, 503)

    write({ ...Object.fromEntries(Object.keys(files).map(file => [file, undefined])), '_hooks.ts': RULE })
    await app.toolrack.reload()
    t.strictSame(await names(app), ['b'])
    t.equal((await app.inject('/ready')).statusCode, 200)
  })
}

const BESIDE: [file: string, more: Files, reason: string][] = [
  ['admin/_hooks.ts', {}, `its rules in _hooks.ts hold for nothing; write export * from './_hooks.ts' in it, or put`],
  ['admin/hooks.ts', {}, `its rules in hooks.ts hold for nothing; write export * from './hooks.ts' in it`],
  ['admin/rules.mjs', {}, `its rules in rules.mjs hold for nothing; write export * from './rules.mjs' in it`],
  ['admin/lib/_hooks.ts', {}, `its rules in lib/_hooks.ts hold for nothing; write export * from './lib/_hooks.ts'`],
  ['admin/_hooks.tsx', {}, 'its rules in _hooks.tsx hold for nothing; Node reads no JSX: rename it to .ts'],
  ['admin/_hooks.ts', { '_hooks.ts': 'export const visible = () => true' }, 'its rules in _hooks.ts hold for nothing;'],
]

for (const [file, more, reason] of BESIDE) {
  t.test(
    `rules in ${file} close the tools of that folder${Object.keys(more).length ? ' beside _hooks.ts' : ''}`,
    async t => {
      const files = { ...TOOLS, 'admin/index.ts': source('wipe'), [file]: RULE, ...more }
      const { app, write } = await serve(t, files, { toolsStrict: true })

      t.strictSame(await names(app), ['a', 'b'])
      const lines = app.logs.lines.filter(line => line.file?.endsWith('admin/index.ts'))
      t.equal(lines.length, 1)
      t.equal(lines[0]?.level, 50)
      t.ok(lines[0]?.reason?.startsWith(reason), String(lines[0]?.reason))
      const ready = await app.inject('/ready')
      t.equal(ready.statusCode, 503)
      t.match(ready.json().degraded, [/admin\/index\.ts: its rules in /])

      write({ [file]: undefined })
      await app.toolrack.reload()
      t.strictSame(await names(app), ['a', 'b', 'wipe'])
      t.equal((await app.inject('/ready')).statusCode, 200)
    },
  )
}

t.test('the fix counts: a tool file that exports the rules beside it has them', async t => {
  const { app } = await serve(t, {
    ...TOOLS,
    'admin/index.ts': `export * from './_hooks.ts'\n${source('wipe')}`,
    'admin/_hooks.ts': `export const visible = () => false`,
  })

  t.strictSame(await names(app), ['a', 'b'])
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 40),
    [],
  )
})

const COUNT: [what: string, files: Files][] = [
  ['_hooks.ts imports', { '_hooks.ts': `export * from './lib/_hooks.ts'`, 'lib/_hooks.ts': RULE }],
  [
    'a helper of _hooks.ts imports',
    { '_hooks.ts': `export * from './_a.ts'`, '_a.ts': `export { visible } from './_rules.ts'`, '_rules.ts': RULE },
  ],
  [
    'a tool file imports for its tool',
    {
      '_rules.ts': RULE,
      'a.ts': `import { visible } from './_rules.ts'\nexport default { name: 'a', description: 'a', visible, handler: () => '' }`,
    },
  ],
  [
    'a tool file imports by a function',
    {
      'lib/hooks.ts': RULE,
      'a.ts': `const { visible } = await import("./lib/hooks.ts")
export default { name: 'a', description: 'a', visible, handler: () => '' }`,
    },
  ],
  [
    'CommonJS requires without the ending',
    {
      '_rules.js': 'exports.visible = tool => tool.name !== "a"',
      'a.cjs': `const { visible } = require('./_rules')
module.exports = { name: 'a', description: 'a', visible, handler: () => '' }`,
      'a.ts': `export default { name: 'c', description: 'c', handler: () => '' }`,
    },
  ],
]

for (const [what, files] of COUNT) {
  t.test(`rules count that ${what}`, async t => {
    const { app } = await serve(t, { ...TOOLS, ...files })

    t.notOk((await names(app)).includes('a'))
    t.ok((await names(app)).includes('b'))
    t.strictSame(
      app.logs.lines.filter(({ level }) => level >= 40),
      [],
    )
  })
}

t.test('a helper of one folder that a tool of another imports is not misplaced', async t => {
  const two = tempFolder(t, { '_rules.ts': RULE })
  const from = JSON.stringify(join(two.path, '_rules.ts'))
  const one = tempFolder(t, {
    ...TOOLS,
    'a.ts': `import { visible } from ${from}\nexport default { name: 'a', description: 'a', visible, handler: () => '' }`,
  })
  const { app } = await serveFolder(t, [one.path, two.path])

  t.strictSame(await names(app), ['b'])
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 50),
    [],
  )
})

const IMPORTED_IN_VAIN: [what: string, files: Files][] = [
  ['in a comment', { 'a.ts': `// import { visible } from './_rules.ts'\n${source('a')}` }],
  ['for a type', { 'a.ts': `import type { visible } from './_rules.ts'\n${source('a')}` }],
  ['by a test', { 'a.test.ts': `import { visible } from './_rules.ts'` }],
  ['by a helper that nothing imports', { '_other.ts': `import './_rules.ts'` }],
]

for (const [what, files] of IMPORTED_IN_VAIN) {
  t.test(`rules do not count since they are imported ${what}`, async t => {
    const { app } = await serve(t, { ...TOOLS, '_rules.ts': RULE, ...files })

    t.strictSame(await names(app), [])
  })
}

const HARMLESS: [what: string, files: Files][] = [
  ['a test of hooks', { '_hooks.test.ts': RULE, '_hooks.d.ts': 'export declare const visible: unknown' }],
  ['notes about hooks', { '_hooks.md': '# visible' }],
  ['a tool file that is switched off', { '_c.ts': `${RULE}\n${source('c')}` }],
  [
    'an export in a comment or a text',
    { '_c.ts': `// ${RULE}\n/*\n${RULE}\n*/\nexport const c = '${RULE.replaceAll("'", '"')}'` },
  ],
  [
    'other exports of such names',
    { '_c.ts': 'export const isVisible = 1, invisible = 2\nexport { a as b }; const visible = 3' },
  ],
  ['hooks of git', { 'hooks.ts': source('list_hooks'), 'lib/hooks.ts': 'export const useState = () => {}' }],
  ['a folder of hooks of git', { '.hooks/pre-commit': 'visible', 'node_modules/x/_hooks.ts': RULE }],
]

for (const [what, files] of HARMLESS) {
  t.test(`the tools are served beside ${what}`, async t => {
    const { app } = await serve(t, { ...TOOLS, ...files })

    t.strictSame(
      (await names(app)).filter(name => name.length === 1),
      ['a', 'b'],
    )
  })
}

t.test('rules beside the folder close it, until they are moved into it', async t => {
  const folder = tempFolder(t, TOOLS)
  const beside = join(dirname(folder.path), '_hooks.ts')
  writeFileSync(beside, RULE)
  const { app } = await serveFolder(t, folder.path)

  t.strictSame(await names(app), [])
  t.match(
    app.logs.lines.find(({ msg }) => msg?.startsWith('hooks not loaded')),
    { reason: `${READ_FROM}move it into the tools folder${ELSE}` },
  )
  folder.write({ '_hooks.ts': `export * from '../_hooks.ts'` })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b'])
})

t.test('misplaced rules of one folder close the tools of all', async t => {
  const [one, two] = [tempFolder(t, TOOLS), tempFolder(t, { 'c.ts': source('c'), 'hooks.ts': RULE })]
  const { app } = await serveFolder(t, [one.path, two.path])

  t.strictSame(await names(app), [])
  two.write({ 'hooks.ts': undefined, '_hooks.ts': RULE })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b', 'c'])
})

t.test('misplaced rules that cannot be read close the tools, too', async t => {
  const folder = tempFolder(t, TOOLS)
  symlinkSync('nowhere.ts', join(folder.path, '_hook.ts'))
  const { app } = await serveFolder(t, folder.path)

  t.strictSame(await names(app), [])
})

t.test('misplaced rules that come while it serves leave what is served as it was', async t => {
  const { app, write } = await serve(t, { ...TOOLS, '_hooks.ts': RULE, 'admin/index.ts': source('wipe') })

  write({ 'rules.ts': 'export const visible = () => false', 'admin/_hooks.ts': RULE, 'c.ts': source('c') })
  await app.toolrack.reload()

  t.strictSame(await names(app), ['b', 'c', 'wipe'])
  const { degraded } = (await app.inject('/ready')).json()
  t.match(degraded, [
    /rules\.ts: exports visible, .*only; put its hooks there.*; the earlier hooks stay/,
    /admin\/index\.ts/,
  ])
})

t.test('rules are read however many files the folder has', async t => {
  const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`0/${index}.json`, '1']))
  const { app } = await serve(t, { ...many, ...TOOLS, '_hooks.ts': 'export const visible = () => false' })

  t.match(
    app.logs.lines.find(({ msg }) => msg === 'hooks loaded'),
    { hooks: ['visible'] },
  )
})
