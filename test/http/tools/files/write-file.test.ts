import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { callTool } from '../../../support/app.ts'
import { fileModules } from '../../../support/tools/file-tools.ts'
import { errorOf, filesFolder, openBelow, serve } from '../../../support/tools/shipped.ts'

t.test('write_file: a new file, with the folders on the way', async t => {
  const base = filesFolder(t)

  const args = { path: 'notes/2026/todo.txt', content: 'Büy milk\n' }
  const result = await callTool(await serve(t, 'write_file'), 'write_file', args)

  t.strictSame(result.structuredContent, { path: 'notes/2026/todo.txt', size: 10, isNew: true })
  t.equal(readFileSync(join(base, 'root/notes/2026/todo.txt'), 'utf8'), 'Büy milk\n')
  t.strictSame(readdirSync(join(base, 'root/notes/2026')), ['todo.txt'])
  t.strictSame(openBelow(base), [])
})

t.test('write_file: bytes in base64', async t => {
  const base = filesFolder(t)

  await callTool(await serve(t, 'write_file'), 'write_file', {
    path: 'x',
    content: '/wD+',
    encoding: 'base64',
  })

  t.strictSame([...readFileSync(join(base, 'root/x'))], [255, 0, 254])
})

t.test('write_file: a file that is there stays, unless it is to be overwritten', async t => {
  const base = filesFolder(t)
  const app = await serve(t, 'write_file')

  const refused = await callTool(app, 'write_file', { path: 'data.csv', content: 'new' })
  const before = readFileSync(join(base, 'root/data.csv'), 'utf8')
  const written = await callTool(app, 'write_file', { path: 'data.csv', content: 'new', overwrite: true })

  t.match(errorOf(refused), /"data\.csv" exists already\. Choose another path, or set overwrite to true/)
  t.equal(before, 'a\n1\n')
  t.strictSame(written.structuredContent, { path: 'data.csv', size: 3, isNew: false })
  t.equal(readFileSync(join(base, 'root/data.csv'), 'utf8'), 'new')
})

t.test('write_file: of 50 calls at once for one new file, one writes it', async t => {
  const base = filesFolder(t)
  const { writeFile } = await fileModules()

  const writes = Array.from({ length: 50 }, (_, index) =>
    writeFile('new', { bytes: Buffer.from(`writer ${index}`), isOverwriting: false }).then(() => index),
  )
  const settled = await Promise.allSettled(writes)

  const winners = settled.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  t.equal(winners.length, 1)
  t.equal(readFileSync(join(base, 'root/new'), 'utf8'), `writer ${winners[0]}`)
  t.ok(settled.every(one => one.status === 'fulfilled' || /exists already/.test(one.reason.message)))
  t.strictSame(readdirSync(join(base, 'root')).sort(), ['data.csv', 'new', 'sales'])
})

t.test('write_file: whoever reads meanwhile sees the old content or the new, whole', { timeout: 180_000 }, async t => {
  const base = filesFolder(t)
  const { openFile, writeFile } = await fileModules()
  const contents = ['a', 'b'].map(letter => Buffer.from(letter.repeat(200_000)))
  writeFileSync(join(base, 'root/data.csv'), contents[0]!)
  let isWriting = true
  const seen = new Set<string>()

  const writing = (async () => {
    for (let index = 0; index < 60; index++) {
      await writeFile('data.csv', { bytes: contents[index % 2]!, isOverwriting: true })
    }
    isWriting = false
  })()
  while (isWriting) {
    const { handle } = await openFile('data.csv')
    const text = await handle.readFile('utf8').finally(() => handle.close())
    seen.add(`${text[0]} ${text.length} ${text === text[0]!.repeat(text.length)}`)
  }
  await writing

  t.strictSame([...seen].sort(), ['a 200000 true', 'b 200000 true'])
})

t.test('write_file: a new file can be read while it gets its name', async t => {
  filesFolder(t)
  const { openFile, writeFile } = await fileModules()
  const faults: string[] = []

  for (let index = 0; index < 100; index++) {
    const writing = writeFile(`new-${index}`, { bytes: Buffer.from('x'), isOverwriting: false })
    let isWritten = false
    const ended = writing.then(() => (isWritten = true))
    while (!isWritten) {
      const opened = await openFile(`new-${index}`).catch((error: Error) => error)
      if (!(opened instanceof Error)) await opened.handle.close()
      else if (!/no readable file/.test(opened.message)) faults.push(opened.message)
    }
    await ended
  }

  t.strictSame(faults, [])
})

for (const [what, args, expected] of [
  ['a folder', { path: 'sales', overwrite: true }, /"sales" is not a regular file/],
  ['a path through a file', { path: 'data.csv/x' }, /no readable folder "data\.csv"/],
  ['base64 that is none', { path: 'x', content: 'a=b', encoding: 'base64' }, /content is not base64/],
  ['too much content', { path: 'x', content: 'x'.repeat(900_001) }, /content must NOT have more than 900000/],
] as const) {
  t.test(`write_file: ${what} is an error that says what to do`, async t => {
    const base = filesFolder(t)

    const result = await callTool(await serve(t, 'write_file'), 'write_file', { content: '', ...args })

    t.match(errorOf(result), expected)
    t.strictSame(readdirSync(join(base, 'root')).sort(), ['data.csv', 'sales'])
  })
}

for (const [code, expected] of [
  ['ENOSPC', /The disk of the files folder is full: "x" is as it was/],
  ['EDQUOT', /The disk of the files folder is full/],
  ['EROFS', /This server may not change "x"/],
  ['EIO', /"x" could not be changed \(EIO\)/],
] as const) {
  t.test(`write_file: ${code} is told in words`, async t => {
    const { faultOfChange } = await fileModules()

    t.match(faultOfChange(Object.assign(new Error('/secret/path'), { code }), 'x'), {
      name: 'ToolError',
      message: expected,
    })
  })
}

// Writes a small file and one that finds no room, below a file system of 64 KiB that only this process sees.
const FULL = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { toolModule } from './test/support/tools/shipped.ts'
  const { writeFile } = await toolModule('_files/write.ts')
  const write = (bytes, isOverwriting) => writeFile('a', { bytes, isOverwriting }).catch(error => error.message)
  console.log(JSON.stringify([
    await write(Buffer.from('small'), false),
    await write(Buffer.alloc(500_000, 'x'), true),
    readFileSync(process.env.FILES_DIR + '/a', 'utf8'),
    readdirSync(process.env.FILES_DIR),
  ]))`

t.test('write_file: on a full disk the old file is as it was, and nothing is left', async t => {
  const folder = t.testdir({})
  const mount = 'mount -t tmpfs -o size=64k tmpfs "$FILES_DIR" && exec "$0" --input-type=module -e "$1"'
  const { status, stdout } = spawnSync('unshare', ['-Urm', 'sh', '-c', mount, process.execPath, FULL], {
    env: { ...process.env, FILES_DIR: folder },
    encoding: 'utf8',
  })
  if (status !== 0) return t.comment('SKIPPED: this system lets nobody mount a small disk')

  const full = 'The disk of the files folder is full: "a" is as it was. Delete files first.'
  t.strictSame(JSON.parse(stdout), [true, full, 'small', ['a']])
})
