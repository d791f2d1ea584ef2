// A file whose top level waits: the others are served meanwhile, at the start and when the folder is read again.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { UNKNOWN_CLIENT } from '../../../src/registry/handler-context.ts'
import { Hooks } from '../../../src/registry/hooks.ts'
import { type Files, tempFolder } from '../../../test/support/tools-folder.ts'
import { loadInTurn } from '../src/load.ts'
import { folderSource } from './folder-source.ts'

mock.timers.enable({ apis: ['setInterval'] })
t.teardown(() => mock.timers.reset())
const STEP_MS = 100

/** Lets time pass until it is so. @returns how much has */
async function passUntil(isSo: () => boolean): Promise<number> {
  for (let passedMs = 0; passedMs < 60_000; passedMs += STEP_MS) {
    // Files are read in real time: what is at hand needs some turns of the loop.
    for (let turns = 0; turns < 5 && !isSo(); turns++) await new Promise(resolve => setTimeout(resolve))
    if (isSo()) return passedMs
    mock.timers.tick(STEP_MS)
  }
  throw new Error('it did not come to be so')
}

async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
    await new Promise(resolve => setTimeout(resolve))
    mock.timers.tick(STEP_MS)
  }
}

async function passWhile(promise: Promise<unknown>): Promise<number> {
  let isOver = false
  void promise.then(() => (isOver = true))
  return passUntil(() => isOver)
}

const gates = ((globalThis as { gates?: unknown }).gates = new Map<string, PromiseWithResolvers<void>>())

/** A file that hangs until the gate of its name is opened. */
const hanging = (name: string, then = '') => {
  gates.set(name, Promise.withResolvers())
  return `await gates.get('${name}').promise\n${then}\n${plain(name)}`
}
const plain = (name: string, description = '') =>
  `export default { name: '${name}', description: '${description}', handler: () => '' }`

function open(t: Test, files: Files, later?: Files) {
  const folder = tempFolder(t, files)
  const folders = later === undefined ? [folder] : [folder, tempFolder(t, later)]
  const lines: { level: string; file?: string; reason?: string; added?: string }[] = []
  const to = (level: string) => (fields: object) => void lines.push({ level, ...fields })
  const log = { debug() {}, info: to('info'), warn() {}, error: to('error') }
  const hooks = new Hooks({}, { log, explain: String })
  const paths = folders.map(({ path }) => path)
  const { catalog, source, load } = folderSource(paths, log, { hooks })
  t.teardown(() => source.close())
  const visible = () => catalog.tools.all().filter(tool => hooks.isVisible(tool, undefined, UNKNOWN_CLIENT))
  const served = () => visible().map(({ listed }) => [listed['name'], listed['description']].join(' ').trim())
  return { ...folder, lines, source, load, served }
}

/** Hooks that hang until the gate of their name is opened, and then hide a tool. */
const hangingHooks = (name: string, hidden: string) => {
  gates.set(name, Promise.withResolvers())
  return `export const setup = () => gates.get('${name}').promise\n${hiding(hidden)}`
}
const hiding = (name: string) => `export const visible = tool => tool.name !== '${name}'`

t.test('a file that hangs at the start: the others are served, it is told once, and served when it comes', async t => {
  const { lines, load, served } = open(t, { 'a.mjs': hanging('a'), 'b.mjs': plain('b') })

  const startMs = await passWhile(load())

  t.strictSame(served(), ['b'])
  t.ok(startMs <= 2000, `${startMs} ms`)
  t.strictSame(lines, [])
  const toldMs = startMs + (await passUntil(() => lines.length > 0))
  t.ok(toldMs >= 9000 && toldMs <= 10_000, `${toldMs} ms`)
  t.match(lines, [{ level: 'error', file: /a\.mjs$/, reason: /^has not loaded within 10000 ms/ }])
  await passWhile(load())
  t.equal(lines.length, 1)

  gates.get('a')!.resolve()
  await passUntil(() => served().length > 1)

  t.strictSame(served(), ['a', 'b'])
  t.match(lines.slice(1), [{ level: 'info', file: /a\.mjs$/ }])
})

t.test('a file whose setup hangs is told as such', async t => {
  const { lines, load } = open(t, { 'a.mjs': `export const setup = () => new Promise(() => {})\n${plain('a')}` })

  await passWhile(load())
  await passUntil(() => lines.length > 0)
  t.match(lines, [{ level: 'error', reason: 'has not loaded within 10000 ms; does its setup wait for something?' }])
})

t.test('a folder has settled when each file has loaded, or hangs; what it has failed at is named', async t => {
  const { source, load, served } = open(t, {
    'a.mjs': hanging('a'),
    'b.mjs': hanging('b'),
    'c.mjs': `export default [{ name: 'not a name', handler() {} }, { name: 'c', handler() {} }]`,
  })
  await passWhile(load())
  t.match(source.failures, [{ file: /c\.mjs$/, reason: /^tool "not a name"/ }])

  const settled = source.settled()
  gates.get('a')!.resolve()
  await passUntil(() => served().includes('a'))
  await passWhile(settled)

  t.strictSame(served(), ['a', 'c'])
  t.match(source.failures.slice(1), [{ file: /b\.mjs$/, reason: /^has not loaded within 10000 ms/ }])
})

t.test('a file that hangs when it is read again goes on being served as it was; the others change', async t => {
  const { write, load, served } = open(t, { 'a.mjs': plain('a', 'old'), 'b.mjs': plain('b', 'old') })
  await passWhile(load())

  write({ 'a.mjs': hanging('a'), 'b.mjs': plain('b', 'new') })
  await passWhile(load())
  t.strictSame(served(), ['a old', 'b new'])

  gates.get('a')!.resolve()
  await passUntil(() => served()[0] !== 'a old')
  t.strictSame(served(), ['a', 'b new'])
})

t.test('a file that hangs is not begun again while it is as it was, and holds up no other change', async t => {
  ;(globalThis as { begun?: number }).begun = 0
  const { write, load, served } = open(t, { 'a.mjs': `begun++\n${hanging('a')}` })
  await passWhile(load())

  write({ 'b.mjs': plain('b') })
  const passedMs = await passWhile(load())

  t.strictSame(served(), ['b'])
  t.ok(passedMs < 2000, `${passedMs} ms`)
  t.equal((globalThis as { begun?: number }).begun, 1)
})

t.test('a file that hangs and is mended is served as it is now, whatever becomes of the other', async t => {
  const { write, lines, load, served } = open(t, { 'a.mjs': hanging('a'), 'c.mjs': hanging('c') })
  await passWhile(load())

  write({ 'a.mjs': plain('a', 'mended'), 'c.mjs': undefined })
  await passWhile(load())
  t.strictSame(served(), ['a mended'])
  for (const name of ['a', 'c']) gates.get(name)!.resolve()
  await pass(15_000)

  t.strictSame(served(), ['a mended'])
  t.strictSame(lines, [{ level: 'info', added: 'a' }], 'what the reload has changed, and nothing else')
})

t.test('a file that fails late is told, and tried again with the next change', async t => {
  const { write, lines, load, served } = open(t, {
    'a.mjs': hanging('a', 'if (!globalThis.isThere) throw new Error("boom")'),
  })
  await passWhile(load())
  gates.get('a')!.resolve()
  await passUntil(() => lines.length > 0)
  t.match(lines, [{ level: 'error', file: /a\.mjs$/, reason: 'boom' }])

  ;(globalThis as { isThere?: boolean }).isThere = true
  write({ 'b.mjs': plain('b') })
  await passWhile(load())

  t.strictSame(served(), ['a', 'b'])
})

t.test('hooks that hang hold up the start for 2 s, and the folder is served when they have loaded', async t => {
  const { write, lines, source, load, served } = open(t, {
    '_hooks.mjs': hangingHooks('start', 'b'),
    'a.mjs': plain('a'),
  })

  const startMs = await passWhile(load())
  t.ok(startMs <= 2000, `${startMs} ms`)
  t.match(source.errors[0], { reason: /_hooks\.mjs: it has not loaded yet/, wasRead: false })
  write({ 'b.mjs': plain('b') })
  t.ok((await passWhile(load())) < 2000, 'they are not begun again')
  t.strictSame(served(), [], 'nor is the folder served without them')
  await passUntil(() => lines.length > 0)
  t.match(lines, [{ level: 'error', file: /_hooks\.mjs$/, reason: /^has not loaded within 10000 ms; does its setup/ }])

  const settled = source.settled()
  gates.get('start')!.resolve()
  await passWhile(settled)
  t.strictSame(served(), ['a'], 'as they say')
  t.equal(source.errors[0], undefined)
})

t.test('hooks that fail late are tried again with the next change', async t => {
  const { write, lines, source, load, served } = open(t, {
    '_hooks.mjs': hangingHooks('late', 'b'),
    'a.mjs': plain('a'),
  })
  await passWhile(load())
  gates.get('late')!.reject(new Error('no database'))
  await passWhile(source.settled())
  t.match(lines, [{ level: 'error', file: /_hooks\.mjs$/, reason: 'no database' }])
  t.strictSame(served(), [])

  gates.set('late', Promise.withResolvers())
  gates.get('late')!.resolve()
  write({ 'b.mjs': plain('b') })
  await passWhile(load())
  t.strictSame(served(), ['a'])
})

t.test('while newer hooks hang, the earlier ones stay, and files change', async t => {
  const { write, source, load, served } = open(t, { '_hooks.mjs': hiding('a'), 'a.mjs': plain('a') })
  await passWhile(load())

  write({ '_hooks.mjs': hangingHooks('newer', 'b'), 'b.mjs': plain('b') })
  await passWhile(load())
  t.strictSame(served(), ['b'])
  gates.get('newer')!.resolve()
  await passWhile(source.settled())
  t.strictSame(served(), ['a'])
})

t.test('hooks that hang and are mended count as they are now, whatever becomes of the others', async t => {
  const { write, load, served } = open(t, {
    '_hooks.mjs': hangingHooks('old', 'a'),
    'a.mjs': plain('a'),
    'b.mjs': plain('b'),
  })
  await passWhile(load())

  write({ '_hooks.mjs': hiding('b') })
  await passWhile(load())
  t.strictSame(served(), ['a'])
  gates.get('old')!.resolve()
  await pass(15_000)
  t.strictSame(served(), ['a'])
})

t.test('a file of the first folder that hangs takes its name from the second when it comes', async t => {
  const { lines, load, served } = open(t, { 'a.mjs': hanging('a') }, { 'b.mjs': plain('a', 'of the second') })
  await passWhile(load())
  t.strictSame(served(), ['a of the second'])

  gates.get('a')!.resolve()
  await passUntil(() => served()[0] === 'a')
  await passUntil(() => lines.some(({ level }) => level === 'error'))
  t.match(lines.slice(1), [{ level: 'error', file: /b\.mjs$/, reason: /^tool a is already defined in .*a\.mjs/ }])

  await passWhile(load())
  t.strictSame(served(), ['a'])
})

t.test('files of both folders hang and have the same: the first has it, whichever comes first', async t => {
  const { source, load, served } = open(
    t,
    { 'a.mjs': hanging('a') },
    { 'b.mjs': hanging('b').replace("'b', desc", "'a', desc") },
  )
  await passWhile(load())

  gates.get('b')!.resolve()
  await passUntil(() => served().length > 0)
  gates.get('a')!.resolve()
  await passWhile(source.settled())
  await passUntil(() => source.failures.some(({ file }) => /b\.mjs$/.test(file)))

  t.strictSame(served(), ['a'])
})

t.test('of files that hang 16 are waited for at once', async t => {
  let begun = 0
  const start = () => {
    begun++
    return new Promise<void>(() => {})
  }

  const loading = loadInTurn(Array(40).fill(start), 10_000)
  for (let passedMs = 0; passedMs < 1900; passedMs += STEP_MS) {
    await new Promise(resolve => setImmediate(resolve))
    mock.timers.tick(STEP_MS)
  }

  t.equal(begun, 16)
  await passWhile(loading)
  t.equal(begun, 40)
})
