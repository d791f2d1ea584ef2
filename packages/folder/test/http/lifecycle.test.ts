// `setup`, `close` and disposables of tool files: run once each, whatever is reloaded and whatever runs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { call, callTool } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/clients/connect.ts'
import { fakeLog } from '../../../../test/support/fakes.ts'
import { answer, names, serve, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { folderSource } from '../folder-source.ts'

/** What tool files note, by test. */
const notes = new Map<string, string[]>()
Object.assign(globalThis, { notesOfLifecycle: (test: string, note: string) => notes.get(test)!.push(note) })

function noted(test: string): string[] {
  notes.set(test, [])
  return notes.get(test)!
}

/** A file with a pool, which notes when it is opened and closed. */
const pooled = (test: string, version: string, { requires = '' } = {}) => `
const note = said => globalThis.notesOfLifecycle('${test}', said)
let pool
export async function setup() {
  await null
  pool = { query: () => 'rows ${version}' }
  note('open ${version}')
}
export async function close() {
  pool = undefined
  note('close ${version}')
}
const gates = (globalThis.gatesOfLifecycle ??= new Map())
export default [
  { name: 'query', description: 'Queries.', ${requires} handler: () => pool.query() },
  {
    name: 'wait',
    description: 'Waits.',
    ${requires}
    async handler(_args, { signal }) {
      note('wait ${version}')
      await new Promise(resolve => gates.set('${test} ${version}', resolve))
      return pool.query()
    },
  },
]`

const pass = (gate: string) =>
  (globalThis as { gatesOfLifecycle?: Map<string, () => void> }).gatesOfLifecycle!.get(gate)!()

t.test('a file that is edited ten times has one pool open, and none after the shutdown', async t => {
  const said = noted('ten')
  const { app, write } = await serve(t, { 'a.ts': pooled('ten', '0') })
  for (let edit = 1; edit <= 10; edit++) {
    write({ 'a.ts': pooled('ten', String(edit)) })
    await app.toolrack.reload()
    t.equal(await answer(app, 'query'), `rows ${edit}`)
  }

  t.equal(said.filter(note => note.startsWith('open')).length, 11)
  t.equal(said.filter(note => note.startsWith('close')).length, 10)
  await app.close()
  t.equal(said.at(-1), 'close 10')
  t.equal(said.filter(note => note.startsWith('close')).length, 11)
})

t.test('what a call uses stays open until it has ended', async t => {
  const said = noted('call')
  const { app, write } = await serve(t, { 'a.ts': pooled('call', '1') })
  const calls = [callTool(app, 'wait'), callTool(app, 'query')]
  await until(() => said.includes('wait 1'), 'the call')

  write({ 'a.ts': pooled('call', '2') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'query'), 'rows 2')
  t.notOk(said.includes('close 1'))
  pass('call 1')
  t.match(await Promise.all(calls), [{ content: [{ text: 'rows 1' }] }, { content: [{ text: 'rows 1' }] }])
  await until(() => said.includes('close 1'), 'the close')
  t.notOk(said.includes('close 2'))
})

t.test('a handler that goes on after its deadline keeps its pool', async t => {
  const said = noted('late')
  const { app, write } = await serve(t, {
    'a.ts': pooled('late', '1').replace(/name: 'wait'/, "name: 'wait', timeout: 20"),
  })
  t.match(await callTool(app, 'wait'), { isError: true, content: [{ text: /timed out/ }] })

  write({ 'a.ts': pooled('late', '2') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'query'), 'rows 2')
  t.notOk(said.includes('close 1'))
  pass('late 1')
  await until(() => said.includes('close 1'), 'the close')
})

t.test('a file that is taken away is closed', async t => {
  const said = noted('gone')
  const { app, write } = await serve(t, { 'a.ts': pooled('gone', '1'), 'b.ts': source('b') })

  write({ 'a.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b'])
  await until(() => said.includes('close 1'), 'the close')
})

t.test('a setup that fails leaves the file as it was, and what it opened is closed', async t => {
  const said = noted('fails')
  const { app, write } = await serve(t, { 'a.ts': pooled('fails', '1') })

  write({
    'a.ts': `
export const lock = { [Symbol.dispose]: () => globalThis.notesOfLifecycle('fails', 'unlocked') }
export const setup = () => { throw new Error('no database') }
export const close = () => globalThis.notesOfLifecycle('fails', 'close')
export default { name: 'query', handler: () => 'new' }`,
  })
  await app.toolrack.reload()
  t.equal(await answer(app, 'query'), 'rows 1')
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool file not loaded; its earlier tools stay'),
    { file: /a\.ts$/, line: 3, reason: 'no database' },
  )
  await until(() => said.includes('unlocked'), 'the lock')
  t.strictSame(said, ['open 1', 'close', 'unlocked'])
})

t.test('a close that does not cope with half a setup is a mere note', async t => {
  const said = noted('half')
  const { app, write } = await serve(t, {
    'a.ts': `
let pool
export const setup = () => {
  globalThis.notesOfLifecycle('half', 'setup')
  throw new Error('no database')
}
export const close = () => pool.end()
export default { name: 'a', description: 'A.', handler: () => 'a' }`,
    'b.ts': source('b'),
  })

  const isNoted = () => app.logs.lines.filter(({ msg }) => msg?.startsWith('tool file could not be closed'))
  await until(() => isNoted().length === 1, 'the note')
  t.match(isNoted(), [{ level: 30, file: /a\.ts$/, reason: /undefined/ }])
  write({ 'b.ts': undefined })
  await app.toolrack.reload()
  await until(() => isNoted().length === 2, 'it is closed each time')
  t.strictSame(said, ['setup', 'setup'])
})

/** A file whose `close` and disposables note when they begin and end. */
const closing = (test: string) => `
const note = said => globalThis.notesOfLifecycle('${test}', said)
const end = async what => {
  note(what)
  await null
  note('end of ' + what)
}
export const exported = { [Symbol.asyncDispose]: () => end('exported') }
export const setup = async () => ({ [Symbol.asyncDispose]: () => end('of setup') })
export const close = async () => {
  await end('close')
  throw new Error('stuck')
}
export default { name: 'a', handler: () => 'a' }`

const IN_ORDER = ['close', 'end of close', 'of setup', 'end of of setup', 'exported', 'end of exported']

t.test('at the shutdown the last opened is closed first, one after the other; one that fails is logged', async t => {
  const said = noted('shutdown')
  const { app } = await serve(t, { 'a.ts': closing('shutdown') })

  await app.close()
  t.strictSame(said, IN_ORDER)
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool file could not be closed'),
    { level: 40, file: /a\.ts$/, reason: 'stuck' },
  )
})

t.test('so it is when a file is replaced', async t => {
  const said = noted('replaced')
  const { app, write } = await serve(t, { 'a.ts': closing('replaced') })

  write({ 'a.ts': source('a') })
  await app.toolrack.reload()
  await until(() => said.includes('end of exported'), 'the last one')
  t.strictSame(said, IN_ORDER)
})

t.test('a close that does not end keeps no other file open', async t => {
  const said = noted('stuck')
  const gate = Promise.withResolvers<void>()
  Object.assign(globalThis, { gateOfClose: gate.promise })
  const { app, write } = await serve(t, {
    'a.ts': `${source('a')}\nexport const close = () => globalThis.gateOfClose`,
    'b.ts': pooled('stuck', '1'),
  })

  write({ 'a.ts': undefined, 'b.ts': undefined })
  await app.toolrack.reload()
  await until(() => said.includes('close 1'), 'the close')
  gate.resolve()
})

t.test('what is not closed in time at the shutdown is named', async t => {
  const log = fakeLog()
  const { path } = tempFolder(t, { 'a.ts': `${source('a')}\nexport const close = () => new Promise(() => {})` })
  const tools = folderSource([path], log, { closeLimitMs: 1 })
  await tools.load()

  await tools.source.close()
  t.match(log.lines, [{ level: 'warn', text: 'tool files not closed in time', fields: { files: [/a\.ts$/] } }])
})

t.test('files share the pool of a helper: it is opened once, and closed with the last', async t => {
  const said = noted('shared')
  const helper = `const note = said => globalThis.notesOfLifecycle('shared', said)
export const setup = () => note('open')
export const close = () => note('close')`
  const file = (name: string) => `export { close, setup } from './_pool.ts'
export default { name: '${name}', handler: () => '${name}' }`
  const { app, write } = await serve(t, { '_pool.ts': helper, 'a.ts': file('a'), 'b.ts': file('b') })
  t.strictSame(said, ['open'])

  write({ 'a.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(said, ['open'], 'b uses it')
  write({ '_pool.ts': `${helper}\n// edited` })
  await app.toolrack.reload()
  await until(() => said.length === 3, 'the close')
  t.strictSame(said, ['open', 'open', 'close'])
  await app.close()
  t.strictSame(said, ['open', 'open', 'close', 'close'])
})

const sharedPool = (test: string) => `let pool
export const setup = () => {
  pool = { isOpen: true }
  globalThis.notesOfLifecycle('${test}', 'open')
}
export const close = async () => {
  await null
  pool.isOpen = false
  globalThis.notesOfLifecycle('${test}', 'close')
}
export const isOpen = () => String(pool.isOpen)`
const poolUser = (name: string) => `import { isOpen } from './_pool.ts'
export { close, setup } from './_pool.ts'
export default { name: '${name}', handler: isOpen }`

t.test('a file that is renamed keeps the pool of its helper open', async t => {
  const said = noted('renamed')
  const { app, write } = await serve(t, { '_pool.ts': sharedPool('renamed'), 'a.ts': poolUser('a') })

  write({ 'a.ts': undefined, 'b.ts': poolUser('a') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'true')
  t.strictSame(said, ['open'])
  await app.close()
  t.strictSame(said, ['open', 'close'])
})

t.test('a pool that was closed with its last file is opened again for the next, once it is closed', async t => {
  const said = noted('again')
  const { app, write } = await serve(t, { '_pool.ts': sharedPool('again'), 'a.ts': poolUser('a'), 'z.ts': source('z') })

  for (let time = 0; time < 2; time++) {
    write({ 'a.ts': undefined })
    await app.toolrack.reload()
    write({ 'a.ts': poolUser('a') })
    await app.toolrack.reload()
    t.equal(await answer(app, 'a'), 'true')
  }
  t.strictSame(said, ['open', 'close', 'open', 'close', 'open'])
})

t.test('a disposable of a helper that was closed with its last file is told, not served', async t => {
  const user = `import { pool } from './_pool.ts'
export { pool } from './_pool.ts'
export default { name: 'a', handler: () => String(pool) }`
  const { app, write } = await serve(t, {
    '_pool.ts': 'export const pool = { [Symbol.dispose]() {} }',
    'a.ts': user,
    'z.ts': source('z'),
  })

  write({ 'a.ts': undefined })
  await app.toolrack.reload()
  write({ 'a.ts': user })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['z'])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool file not loaded'),
    { reason: 'exports pool, which was closed with the last file that used it; open it anew in setup' },
  )
})

t.test('a setup that ends after the shutdown has what it opened closed', async t => {
  const said = noted('after')
  const gate = Promise.withResolvers<void>()
  Object.assign(globalThis, { gateOfSetup: gate.promise })
  const { app } = await serve(t, {
    'a.ts': `
export const setup = async () => {
  await globalThis.gateOfSetup
  globalThis.notesOfLifecycle('after', 'open')
}
export const close = () => globalThis.notesOfLifecycle('after', 'close')
export default { name: 'a', handler: () => 'a' }`,
  })

  await app.close()
  t.strictSame(said, [])
  gate.resolve()
  await until(() => said.length === 2, 'the close')
  t.strictSame(said, ['open', 'close'])
})

t.test('a file that is imported after the shutdown is not set up, and what it has opened is closed', async t => {
  const said = noted('imported')
  const gate = Promise.withResolvers<void>()
  Object.assign(globalThis, { gateOfImport: gate.promise })
  const { app } = await serve(t, {
    'a.ts': `
await globalThis.gateOfImport
const note = said => globalThis.notesOfLifecycle('imported', said)
export const lock = { [Symbol.dispose]: () => note('unlocked') }
export const setup = () => note('open')
export default { name: 'a', handler: () => 'a' }`,
  })

  await app.close()
  gate.resolve()
  await until(() => said.length > 0, 'the lock')
  t.strictSame(said, ['unlocked'])
})

t.test('a file of which another has all tools is not set up until they are its own, and then once', async t => {
  const said = noted('duplicate')
  const file = (version: string) => pooled('duplicate', version)
  const { app, write } = await serve(t, { 'a.ts': file('a'), 'b.ts': file('b') })
  t.strictSame(said, ['open a'])

  write({ 'c.ts': source('c') })
  await app.toolrack.reload()
  t.strictSame(said, ['open a'])
  write({ 'a.ts': undefined })
  await app.toolrack.reload()
  t.equal(await answer(app, 'query'), 'rows b')
  await until(() => said.includes('close a'), 'the close')
  t.strictSame(said, ['open a', 'open b', 'close a'])
})

t.test('a file whose setup is no function does not load', async t => {
  const { app } = await serve(t, { 'a.ts': `${source('a')}\nexport const setup = {}`, 'b.ts': source('b') })

  t.strictSame(await names(app), ['b'])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool file not loaded'),
    { level: 50, file: /a\.ts$/, reason: 'setup must be a function, not an object' },
  )
})

t.test('functions that are named almost like setup and close are told', async t => {
  const { app } = await serve(t, {
    'a.ts': `${source('a')}
export const init = () => {}
export function teardown() {}`,
    'b.ts': `${source('b')}
export const init = () => {}
export const setup = init`,
  })

  const told = app.logs.lines.filter(({ msg }) => msg === 'likely mistake in a tool file')
  t.match(told, [
    { level: 40, file: /a\.ts$/, reason: 'exports init, which is not called; did you mean setup?' },
    { level: 40, file: /a\.ts$/, reason: 'exports teardown, which is not called; did you mean close?' },
  ])
  t.equal(told.length, 2)
})

const OTHERS: [method: string, params: Record<string, unknown>][] = [
  ['prompts/get', { name: 'p' }],
  ['resources/read', { uri: 'r://1' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'c', value: '' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'r://{id}' }, argument: { name: 'id', value: '' } }],
]

for (const [index, [method, params]] of OTHERS.entries()) {
  t.test(`${method} keeps what it uses open until it has answered: ${JSON.stringify(params)}`, async t => {
    const said = noted(`other ${index}`)
    const gate = Promise.withResolvers<void>()
    Object.assign(globalThis, { gateOfOther: gate.promise })
    const file = (version: string) => `
import { definePrompt, defineResource } from 'toolrack'
const note = said => globalThis.notesOfLifecycle('other ${index}', said)
let pool
export const setup = () => void (pool = ['rows'])
export const close = () => {
  pool = undefined
  note('close ${version}')
}
const slow = async () => {
  note('begin')
  await globalThis.gateOfOther
  return pool[0]
}
const complete = async () => [await slow()]
export default [
  definePrompt({ name: 'p', arguments: [{ name: 'c', complete }], handler: slow }),
  defineResource({ uriTemplate: 'r://{id}', name: 'r', complete: { id: complete }, handler: slow }),
]`
    const { app, write } = await serve(t, { 'a.ts': file('1') })
    const answered = call(app, method, params)
    await until(() => said.includes('begin'), 'the handler')

    write({ 'a.ts': file('2') })
    await app.toolrack.reload()
    t.strictSame(said, ['begin'])
    gate.resolve()
    t.match(JSON.stringify((await answered).result), 'rows')
    await until(() => said.includes('close 1'), 'the close')
  })
}

t.test('a file whose tools are not served is not set up', async t => {
  const said = noted('off')
  const { app } = await serve(t, { 'a.ts': pooled('off', '1', { requires: `requires: ['NEVER_SET_HERE'],` }) })

  t.strictSame(await names(app), [])
  await app.close()
  t.strictSame(said, [])
})

const cachingHooks = (test: string, version: string) => `
let cache
const note = said => globalThis.notesOfLifecycle('${test}', said)
export const setup = () => {
  cache = 'cached ${version}'
  note('open ${version}')
}
export const close = () => {
  cache = 'closed'
  note('close ${version}')
}
export const onCall = async (call, next) => {
  await next()
  return cache
}`

t.test('hooks of the folder are set up and closed, too', async t => {
  const said = noted('hooks')
  const { app, write } = await serve(t, { 'a.ts': source('a'), '_hooks.ts': cachingHooks('hooks', '1') })
  t.equal(await answer(app, 'a'), 'cached 1')

  write({ '_hooks.ts': cachingHooks('hooks', '2') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'cached 2')
  await app.close()
  t.strictSame(said, ['open 1', 'open 2', 'close 1', 'close 2'])
})

t.test('hooks stay open for the calls within them, and no call comes to closed ones', async t => {
  const said = noted('within')
  const begun: string[] = []
  const gates = { handler: Promise.withResolvers<void>(), program: Promise.withResolvers<void>() }
  Object.assign(globalThis, { gateOfHandler: gates.handler.promise })
  const { app, write } = await serve(
    t,
    {
      'a.ts': `
export default [
  { name: 'a', handler: () => globalThis.gateOfHandler },
  { name: 'b', handler: () => 'b' },
]`,
      '_hooks.ts': cachingHooks('within', '1'),
    },
    {
      onCall: async ({ tool }, next) => {
        begun.push(tool.name)
        if (tool.name === 'b') await gates.program.promise
        return next()
      },
    },
  )
  const [within, before] = [answer(app, 'a'), answer(app, 'b')]
  await until(() => begun.length === 2, 'the calls')

  write({ '_hooks.ts': cachingHooks('within', '2') })
  await app.toolrack.reload()
  t.strictSame(said, ['open 1', 'open 2'])
  gates.handler.resolve()
  t.equal(await within, 'cached 1')
  await until(() => said.includes('close 1'), 'the close')
  gates.program.resolve()
  t.equal(await before, 'cached 2')
})

t.test('an isolated tool is set up in its own process', async t => {
  const said = noted('isolated')
  const { app } = await serve(t, {
    'a.ts': `
let pid
export const setup = () => { pid = process.pid; globalThis.notesOfLifecycle?.('isolated', 'open') }
export default { name: 'where', isolate: true, handler: () => String(pid) }`,
  })

  const pid = await answer(app, 'where')
  t.match(pid, /^\d+$/)
  t.not(pid, String(process.pid))
  t.strictSame(said, [], 'not in the server')
})

t.test('an isolated tool whose setup fails does not run; its next call tries again', async t => {
  const { app, path } = await serve(t, {
    'a.ts': `
import { existsSync } from 'node:fs'
export const setup = () => {
  if (!existsSync(new URL('database', import.meta.url))) throw new Error('no database')
}
export default { name: 'query', isolate: true, handler: () => 'rows' }`,
  })

  for (let call = 0; call < 2; call++)
    t.match(await callTool(app, 'query'), { isError: true, content: [{ text: 'no database' }] })
  writeFileSync(join(path, 'database'), '')
  t.equal(await answer(app, 'query'), 'rows')
})

t.test('the process of an isolated tool ends when a newer version of its file, or of a helper, is called', async t => {
  const file = (version: string) => `
import { pools } from './_pools.ts'
export const setup = () => pools.push('${version}')
export default { name: 'pools', isolate: true, handler: () => process.pid + ' ' + pools }`
  const helper = 'export const pools = (globalThis.poolsHere ??= [])'
  const { app, write } = await serve(t, { 'a.ts': file('0'), '_pools.ts': helper })
  const pids = [(await answer(app, 'pools')).split(' ')[0]!]

  for (const [version, files] of [
    ['1', { 'a.ts': file('1') }],
    ['2', { 'a.ts': file('2') }],
    ['2', { '_pools.ts': `${helper}\n// edited` }],
  ] as const) {
    write(files)
    await app.toolrack.reload()
    const [pid = '', pools] = (await answer(app, 'pools')).split(' ')
    t.equal(pools, version, 'that of no other version is open')
    pids.push(pid)
  }
  t.equal(new Set(pids).size, 4)
  await until(() => !pids.slice(0, 3).some(isRunning), 'the end of the earlier processes')
  t.ok(isRunning(pids[3]!))
})

function isRunning(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
