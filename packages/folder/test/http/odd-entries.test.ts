// One odd entry of a tools folder is one line of the log: all else is served, and followed as it changes.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { assertToolsDir } from '../../../../src/config/settings.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { answer, names, serve, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { readEntry } from '../../src/scan.ts'
import { folderSource } from '../folder-source.ts'

const NOT_READ = 'entry of the tools folder not read'

interface Odd {
  what: string
  /** As the log names it. */
  name?: RegExp
  reason: RegExp
  make(t: Test, folder: string): unknown
}

const odd: Odd[] = [
  {
    what: 'a link that leads to itself',
    reason: /leads nowhere \(ELOOP/,
    make: (_t, folder) => symlinkSync('odd.ts', join(folder, 'odd.ts')),
  },
  {
    what: 'a link through a file, as if that were a folder',
    reason: /leads nowhere \(ENOTDIR/,
    make: (_t, folder) => symlinkSync('good.mjs/odd.ts', join(folder, 'odd.ts')),
  },
  {
    what: 'a link whose path is too long',
    reason: /leads nowhere \(ENAMETOOLONG/,
    make: (_t, folder) => symlinkSync('a'.repeat(300), join(folder, 'odd.ts')),
  },
  {
    what: 'a link to what is not there',
    reason: /leads nowhere \(ENOENT/,
    make: (_t, folder) => symlinkSync('gone.ts', join(folder, 'odd.ts')),
  },
  {
    what: 'a file of 3 GiB',
    reason: /larger than 64 MiB/,
    make: (_t, folder) => {
      writeFileSync(join(folder, 'odd.ts'), '')
      truncateSync(join(folder, 'odd.ts'), 3 * 2 ** 30)
    },
  },
  {
    what: 'a FIFO, which a reader would wait for',
    reason: /a FIFO, not a file/,
    make: (_t, folder) => execFileSync('mkfifo', [join(folder, 'odd.ts')]),
  },
  {
    what: 'a link to a device that never ends',
    reason: /a device, not a file/,
    make: (_t, folder) => symlinkSync('/dev/zero', join(folder, 'odd.ts')),
  },
  {
    what: 'a socket',
    reason: /a socket, not a file/,
    make: async (t, folder) => {
      const server = createServer()
      await new Promise<void>(resolve => server.listen(join(folder, 'odd.ts'), resolve))
      t.teardown(() => server.close())
    },
  },
  {
    what: 'a folder that is named like a file',
    reason: /a folder, without an index/,
    make: (_t, folder) => mkdirSync(join(folder, 'odd.ts')),
  },
  {
    what: 'an index that is a folder',
    name: /odd.index\.ts$/,
    reason: /a folder, without an index/,
    make: (_t, folder) => mkdirSync(join(folder, 'odd/index.ts'), { recursive: true }),
  },
  {
    what: 'a link to a folder that is named like a file',
    reason: /a link to a folder/,
    make: (_t, folder) => symlinkSync('/usr', join(folder, 'odd.ts')),
  },
  {
    what: 'a name that is not UTF-8',
    name: /odd\ufffd\.ts$/,
    reason: /not UTF-8/,
    make: (_t, folder) =>
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/odd\u00ff`, 'latin1'), Buffer.from('.ts')]), ''),
  },
]

for (const { what, name = /odd\.ts$/, reason, make } of odd) {
  t.test(`${what}: one line names it, the others are served and followed`, async t => {
    const folder = tempFolder(t, { 'good.mjs': source('good') })
    await make(t, folder.path)
    const { app, news } = await serveFolder(t, folder.path, { watchTools: true })
    t.strictSame(await names(app), ['good'])
    t.equal((await app.inject('/ready')).statusCode, 200)

    folder.write({ 'late.mjs': source('late') })
    await news.next(1)
    await app.toolrack.reload()

    t.strictSame(await names(app), ['good', 'late'])
    const [fault, ...more] = app.logs.lines.filter(({ level }) => level >= 40)
    t.match(fault, { level: 50, msg: NOT_READ, file: name, reason })
    t.strictSame(more, [], 'nothing else is told, and not again')
  })
}

t.test('a name with a line break or a tab is one line of the log, as it is, and its tool is served', async t => {
  const folder = tempFolder(t, { 'x\n{"level":60}\u2028y.mjs': source('a'), 'x\n\tz.mjs': 'throw new Error("boom")' })
  const { app } = await serveFolder(t, folder.path)

  t.equal(await answer(app, 'a'), 'a')
  t.match(
    app.logs.lines.filter(({ level }) => level >= 40),
    [{ file: /x\\u\{a\}\\u\{9\}z\.mjs$/, reason: 'boom' }],
  )
})

t.test('a folder named like a file is a folder where it has an index', async t => {
  const folder = tempFolder(t, { 'odd.ts/index.ts': source('a') })
  const { app } = await serveFolder(t, folder.path)

  t.equal(await answer(app, 'a'), 'a')
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 40),
    [],
  )
})

t.test('a hundred odd entries are named, the others are counted', async t => {
  const folder = tempFolder(t, { 'good.mjs': source('good') })
  for (let each = 0; each < 130; each++) symlinkSync('gone', join(folder.path, `odd-${each}.ts`))
  const { app } = await serveFolder(t, folder.path)
  await app.toolrack.reload()

  t.strictSame(await names(app), ['good'])
  const told = app.logs.lines.filter(({ level }) => level >= 40)
  t.equal(told.filter(({ msg }) => msg === NOT_READ).length, 100)
  t.match(told.slice(100), [{ more: 30, msg: 'more entries of the tools folder are not read' }])
  t.equal(told.length, 101)
})

/** Runs `work` with the rights of somebody whose files these are not. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work()
  process.seteuid!(65_534)
  try {
    return await work()
  } finally {
    process.seteuid!(0)
  }
}

function openFolder(t: Test, files: Record<string, string>, options = {}) {
  const folder = tempFolder(t, files)
  chmodSync(dirname(folder.path), 0o755)
  const lines: { file?: string; reason?: string }[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) }
  return { ...folder, lines, ...folderSource([folder.path], log, options) }
}

const plain = (name: string) => `export default { name: '${name}', handler: () => '' }`

t.test('a file that may not be read: the others are served; it is served once it may be', async t => {
  const { path, lines, source, load, served } = openFolder(t, { 'a.mjs': plain('a'), 'good.mjs': plain('good') })
  chmodSync(join(path, 'a.mjs'), 0)

  await asNobody(load)
  t.strictSame(served(), ['good'])
  t.match(lines, [{ file: /a\.mjs$/, reason: /^EACCES: permission denied$/ }])
  t.equal(lines.length, 1)

  chmodSync(join(path, 'a.mjs'), 0o644)
  await asNobody(load)
  t.strictSame(served(), ['a', 'good'])
  t.equal(source.errors[0], undefined)
})

t.test('a folder that may not be read: the others are served', async t => {
  const { path, lines, load, served } = openFolder(t, { 'sub/index.mjs': plain('a'), 'good.mjs': plain('good') })
  chmodSync(join(path, 'sub'), 0)
  t.teardown(() => chmodSync(join(path, 'sub'), 0o755))

  await asNobody(load)

  t.strictSame(served(), ['good'])
  t.match(lines, [{ file: /sub$/, reason: /^EACCES/ }])
})

t.test('what can be read no longer is served on; what has gone is not', async t => {
  const { path, load, served } = openFolder(t, {
    'a.mjs': plain('a'),
    'b.mjs': plain('b'),
    'sub/index.mjs': plain('c'),
    'good.mjs': plain('good'),
  })
  await asNobody(load)
  t.strictSame(served(), ['a', 'b', 'c', 'good'])

  for (const entry of ['a.mjs', 'sub']) chmodSync(join(path, entry), 0)
  t.teardown(() => chmodSync(join(path, 'sub'), 0o755))
  rmSync(join(path, 'b.mjs'))
  await asNobody(load)

  t.strictSame(served(), ['a', 'c', 'good'])
})

t.test('a folder that is watched: a file that may be read from now on is served', async t => {
  const files = { 'a.mjs': plain('a'), 'good.mjs': plain('good') }
  const { path, source, load, served } = openFolder(t, files, { isWatched: true })
  chmodSync(join(path, 'a.mjs'), 0)
  await asNobody(load)
  t.teardown(() => source.close())
  t.strictSame(served(), ['good'])

  chmodSync(join(path, 'a.mjs'), 0o644)

  await until(() => served().includes('a'), 'it is served')
})

t.test('a folder that cannot be read at all: nothing is served, and it says so', async t => {
  const { path, lines, source, load, served } = openFolder(t, { 'a.mjs': plain('a') })
  chmodSync(path, 0o444)
  t.teardown(() => chmodSync(path, 0o755))

  await asNobody(load)

  t.strictSame(served(), [])
  t.match(lines, [{ folder: path, reason: /^EACCES/ }])
  t.match(source.errors[0], { isMissing: false, wasRead: false })
  t.notOk(source.status().isReady)
})

t.test('a file that goes away between being listed and being read is no fault', t => {
  const { path } = tempFolder(t)

  t.strictSame(readEntry(join(path, 'gone.ts'), { isLink: false }), { kind: 'gone' })
  t.end()
})

t.test('a folder that is named and cannot be read stops the start, which names the setting', async t => {
  const { path } = openFolder(t, { 'a.mjs': plain('a') })
  symlinkSync('self', join(path, 'self'))
  const assert = (folder: string) => assertToolsDir([folder], 'TOOLS_DIR')
  assert(path)
  t.throws(() => assert(join(path, 'self')), { message: /^TOOLS_DIR: expected a folder that can be read; .*: ELOOP/ })

  t.teardown(() => chmodSync(path, 0o755))
  for (const mode of [0, 0o444, 0o111]) {
    chmodSync(path, mode)
    const asked = asNobody(async () => assert(path))
    await t.rejects(asked, { message: /^TOOLS_DIR: expected a folder that can be read; .*: EACCES/ }, mode.toString(8))
  }
})

t.test('of very many files the first are read, and the hooks in any case', async t => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`h${at}.json`, '{}']))
  const hooks = `export const visible = ({ name }) => name !== 'b'`
  const { app } = await serve(t, {
    ...many,
    'a.mjs': source('a'),
    'b.mjs': source('b'),
    'z.mjs': source('z'),
    '_hooks.mjs': hooks,
  })
  t.strictSame(await names(app), ['a'])
  t.match((await app.inject('/ready')).json().degraded, [/^tools folder .*: only the first 2000 files are read$/])
})
