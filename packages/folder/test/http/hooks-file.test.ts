// `_hooks.ts` of a tools folder: its hooks are those of every tool, and without them nothing is served.
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { call } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/eventually.ts'
import { get, held, taskFrom, whenEnded } from '../../../../test/support/tasks/modern.ts'
import { answer, type Files, names, serve, serveFolder, source } from '../../../../test/support/tools-folder.ts'

const hooks = (word: string) => `export const onCall = async (call, next) => \`${word} \${await next()}\``
const hide = (name: string) => `export const visible = tool => tool.name !== '${name}'`
const TOOLS = { 'a.ts': source('a'), 'b.ts': source('b') }

t.test('hooks of the folder run within those of the program, and follow their file', async t => {
  const program = { onCall: async (_call: unknown, next: () => Promise<unknown>) => `program ${await next()}` }
  const { app, write } = await serve(t, { ...TOOLS, '_hooks.ts': hooks('first') }, program)

  t.equal(await answer(app, 'a'), 'program first a')
  write({ '_hooks.ts': hooks('second') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'program second a')
  write({ '_hooks.ts': undefined })
  await app.toolrack.reload({ dropRules: true })
  t.equal(await answer(app, 'a'), 'program a')
})

t.test('another rule of what is visible is announced', async t => {
  const { app, write, announced } = await serve(t, { ...TOOLS, '_hooks.mjs': hide('a') })

  t.strictSame(await names(app), ['b'])
  write({ '_hooks.mjs': hide('b') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a'])
  t.equal(await announced(), 1)
})

t.test('hooks that do not load leave the folder unserved, and the server not ready', async t => {
  const { app, write } = await serve(t, { ...TOOLS, '_hooks.ts': `throw new Error('no rules')` })

  t.strictSame(await names(app), [])
  const { statusCode, body } = await app.inject('/ready')
  t.equal(statusCode, 503)
  t.match(body, /_hooks\.ts: no rules/)
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'hooks not loaded; the folder is not served until they are'),
    { level: 50, file: /_hooks\.ts$/, line: 1, reason: 'no rules' },
  )
  write({ '_hooks.ts': hooks('mended') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'mended a')
  t.equal((await app.inject('/ready')).statusCode, 200)
})

t.test('while hooks have not loaded, tasks of tools that are not served are unknown', async t => {
  const { tool, release } = held()
  const { app, write } = await serve(
    t,
    { '_hooks.ts': `throw new Error('no rules')` },
    { tools: [tool], tasks: { inlineMs: 0 } },
  )
  const taskId = await taskFrom(app, 'held')
  release()
  await whenEnded(app, taskId)

  app.toolrack.remove('held')
  t.match((await get(app, taskId)).error, { message: /unknown/ })
  write({ '_hooks.ts': hooks('mended') })
  await app.toolrack.reload()
  t.equal((await get(app, taskId)).result.status, 'completed')
})

t.test('hooks that no longer load stay as they were', async t => {
  const { app, write } = await serve(t, { ...TOOLS, '_hooks.ts': hooks('kept') })

  write({ '_hooks.ts': 'export const onCall = 1', 'c.ts': source('c') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'c'), 'kept c')
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'hooks not loaded; the earlier ones stay'),
    { reason: 'onCall must be a function' },
  )
})

const REFUSED: [what: string, files: Files, reason: RegExp][] = [
  ['no hook', { '_hooks.ts': 'export {}' }, /^exports no hook: export function onCall\(call, next\), or visible/],
  [
    'a misspelt hook beside another',
    { '_hooks.ts': `${hooks('said')}\n${hide('a').replace('visible', 'visble')}` },
    /^exports visble, which is none of onCall, visible, .*, setup, close; did you mean visible\?$/,
  ],
  [
    'a misspelt rule of prompts',
    { '_hooks.ts': `${hooks('said')}\nexport const visiblePromts = () => false` },
    /; did you mean visiblePrompt\?$/,
  ],
  [
    'a hook of another case',
    { '_hooks.ts': 'export const oncall = () => {}' },
    /^exports oncall, .*did you mean onCall\?$/,
  ],
  [
    'a function that is no hook',
    { '_hooks.ts': `${hide('a')}\nexport const audit = () => {}` },
    /^exports audit, .*; put it into another file$/,
  ],
  [
    'hooks as the default',
    { '_hooks.ts': 'export default { visible: () => false }' },
    /^has a default export, which is not read: write export const visible = …, or onCall$/,
  ],
  [
    'a setup that is no function',
    { '_hooks.ts': `${hide('a')}\nexport const setup = {}` },
    /^setup must be a function, not an object$/,
  ],
  [
    'two files of hooks',
    { '_hooks.ts': hide('a'), '_hooks.js': 'export const visible = () => true' },
    /^there is also _hooks\.ts; keep one of them$/,
  ],
  [
    'a file that is named almost so',
    { '_hook.ts': hide('a') },
    /^hooks are read from _hooks\.ts only; rename it to that/,
  ],
  [
    'a folder that is named so',
    { '_hooks/index.ts': hide('a') },
    /^hooks are read from _hooks\.ts only; rename it to that/,
  ],
]

for (const [what, files, reason] of REFUSED) {
  t.test(`hooks are refused, and nothing is served: ${what}`, async t => {
    const { app } = await serve(t, { ...TOOLS, ...files })

    t.strictSame(await names(app), [])
    t.match(
      app.logs.lines.find(({ msg }) => msg?.startsWith('hooks not loaded')),
      { level: 50, file: /_hooks?(?:\.|\/index\.)[jt]s$/, reason },
    )
  })
}

t.test('hooks that are renamed by a slip, or cannot be read any more, stay', async t => {
  const { app, path, write } = await serve(t, { ...TOOLS, '_hooks.ts': hide('a') })

  write({ '_hooks.ts': undefined, '_hook.ts': hide('b') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b'])
  write({ '_hook.ts': undefined })
  symlinkSync('nowhere.ts', join(path, '_hooks.ts'))
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b'])
  rmSync(join(path, '_hooks.ts'))
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b'])
  await app.toolrack.reload({ dropRules: true })
  t.strictSame(await names(app), ['a', 'b'])
  t.equal(app.logs.lines.filter(({ msg }) => msg === 'hooks removed').length, 1)
})

t.test('hooks whose file is gone stay in force until a restart, or a reload that drops them', async t => {
  const { app, write, path, announced } = await serve(t, { ...TOOLS, '_hooks.ts': hide('a') }, { toolsStrict: true })

  write({ '_hooks.ts': undefined, 'c.ts': source('c') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b', 'c'])
  t.match(
    app.logs.lines.filter(({ msg }) => msg === 'hooks not loaded; the earlier ones stay'),
    [{ level: 50, file: /_hooks\.ts$/, reason: /^it is gone; write it again, or restart without it, or call / }],
  )
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 200)
  t.match(ready.json().degraded, [/_hooks\.ts: it is gone; .*; the earlier hooks stay$/])

  write({ '_hooks.ts': hide('b') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'c'], 'it is written again')
  t.strictSame((await app.inject('/ready')).json(), { status: 'ready' })

  write({ '_hooks.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'c'])
  const before = await announced()
  await app.toolrack.reload({ dropRules: true })
  t.strictSame(await names(app), ['a', 'b', 'c'])
  t.equal(await announced(), before + 1)
  t.strictSame((await app.inject('/ready')).json(), { status: 'ready' })

  const restarted = await serveFolder(t, path)
  t.strictSame(await names(restarted.app), ['a', 'b', 'c'])
})

t.test('hooks that have never loaded, and whose file goes away, open nothing either', async t => {
  const { app, write } = await serve(t, { 'a.ts': source('a'), '_hooks.ts': `import './missing.ts'` })
  t.strictSame(await names(app), [])

  write({ '_hooks.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(await names(app), [])
  const ready = await app.inject('/ready')
  t.match(ready.json().degraded, [/_hooks\.ts: it is gone; /])
  t.equal(ready.statusCode, 503)

  await app.toolrack.reload({ dropRules: true })
  t.strictSame(await names(app), ['a'])
  t.equal((await app.inject('/ready')).statusCode, 200)
})

t.test('a watched folder: hooks whose file is renamed stay in force', async t => {
  const { app, path, write } = await serve(t, { ...TOOLS, '_hooks.ts': hide('a') }, { watchTools: true })

  renameSync(join(path, '_hooks.ts'), join(path, '_off.txt'))
  write({ 'c.ts': source('c') })

  await until(async () => (await names(app)).includes('c'), 'the folder is read again')
  t.strictSame(await names(app), ['b', 'c'])
})

t.test('a reload that drops rules keeps those whose file is there', async t => {
  const { app, write } = await serve(t, { ...TOOLS, '_hooks.ts': hide('a') })

  await app.toolrack.reload({ dropRules: true })
  t.strictSame(await names(app), ['b'])
  write({ '_hooks.ts': `throw new Error('no rules')` })
  await app.toolrack.reload({ dropRules: true })
  t.strictSame(await names(app), ['b'])
})

for (const [file, text] of [
  ['_hooks.cjs', `module.exports = { visible: ({ name }) => name !== 'a' }`],
  ['_hooks.js', `exports.visible = ({ name }) => name !== 'a'`],
  ['_hooks.cts', `module.exports = { visible: ({ name }: { name: string }) => name !== 'a' }`],
] as const) {
  t.test(`hooks may be CommonJS: ${file}`, async t => {
    const { app } = await serve(t, { ...TOOLS, [file]: text })

    t.strictSame(await names(app), ['b'])
    t.match(
      app.logs.lines.find(({ msg }) => msg === 'hooks loaded'),
      { level: 30, file: new RegExp(file), hooks: ['visible'] },
    )
  })
}

t.test('hooks for prompts and resources hold for all of them, and a change is announced', async t => {
  const { app, write, news, announced } = await serve(t, {
    'a.ts': `import { definePrompt, defineResource } from 'toolrack'
export default [
  definePrompt({ name: 'p', handler: () => 'p' }),
  defineResource({ name: 'r', uri: 'a://r', handler: () => 'r' }),
]`,
    '_hooks.ts': `export const visiblePrompt = () => true
export const onReadResource = async (_request, next) => \`read \${await next()}\``,
  })
  const read = async () => (await call(app, 'resources/read', { uri: 'a://r' })).result.contents[0].text
  t.equal(await read(), 'read r')

  write({ '_hooks.ts': 'export const visiblePrompt = () => false' })
  await app.toolrack.reload()
  t.strictSame((await call(app, 'prompts/list')).result.prompts, [])
  t.equal(await read(), 'r')
  await announced()
  t.match(
    news.messages.filter(({ method }) => method?.endsWith('/list_changed')),
    [{ method: 'notifications/prompts/list_changed' }],
  )
})
