// Where the result of `toolrack call` goes: bytes to a pipe, rows to a terminal, files where --output says.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { defineTool, file, image } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { fakeServer, send } from '../../../../../test/support/broken-servers.ts'
import { callable, PICTURE } from '../../../../../test/support/callable-tools.ts'
import { noTerminal, runOnTerminal, runPiped, toPlainText } from '../../../../../test/support/command-line.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

t.setTimeout(600_000)
const LARGE = 'long line\n'.repeat(20_000)
const seen = { written: 0 }
const rows = Array.from({ length: 130 }, (_, id) => ({ id, name: `order ${id}` }))
const tools = [
  ...callable,
  defineTool({ name: 'report', handler: () => file(LARGE, { name: 'März report.csv', mimeType: 'text/csv' }) }),
  defineTool({ name: 'rows', handler: () => ({ total: rows.length, orders: rows }) }),
  defineTool({
    name: 'two_pictures',
    handler: () => {
      seen.written++
      return [image(PICTURE, 'image/png'), image(PICTURE, 'image/png')]
    },
  }),
]
const { url } = await listening(t, { tools: tools as typeof callable, rateLimit: { max: 100_000 } })
const call = (t: Test, ...words: readonly string[]) => runPiped(t, ['call', url, ...words])

/** What `toolrack call … > file` writes. */
async function readBytes(...words: readonly string[]): Promise<Buffer> {
  const options = {
    encoding: 'buffer' as const,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  }
  return (await promisify(execFile)(process.execPath, [serverProgram(), 'call', url, ...words], options)).stdout
}

t.test('a pipe gets the bytes of the only part: a text, a picture, a kept file', async t => {
  t.strictSame(await readBytes('say'), Buffer.from('two\nlines'))
  t.strictSame(await readBytes('picture'), PICTURE)
  t.strictSame(await readBytes('report'), Buffer.from(LARGE))
  t.strictSame(JSON.parse((await call(t, 'report', '--json')).stdout).content[0].name, 'März report.csv')
})

t.test('--output saves files under their names, and replaces none', async t => {
  const { path: folder } = tempFolder(t)
  const one = join(folder, 'a.png')

  t.match(await call(t, 'picture', '--output', one), { code: 0, stdout: '', stderr: /^saved / })
  await call(t, 'picture', '-o', folder)
  await call(t, 'picture', '-o', folder)
  await call(t, 'report', '-o', folder)
  t.strictSame(readdirSync(folder).sort(), ['März report.csv', 'a.png', 'image-1-1.png', 'image-1.png'].sort())
  t.strictSame(readFileSync(one), PICTURE)
  t.equal(readFileSync(join(folder, 'März report.csv'), 'utf8'), LARGE)
  t.strictSame(await readBytes('picture', '-o', '-'), PICTURE)
})

t.test('where nothing can be saved is known before the call', async t => {
  const { path: folder } = tempFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const before = seen.written
  for (const [output, fault] of [
    ['', /^--output: expected the name of a file or a folder, or -\n$/],
    [join(folder, 'none/'), /^--output: the folder \S+none\/ is not there; make it first\n$/],
    [join(folder, 'none/a.png'), /^--output: the folder \S+none is not there; make it first\n$/],
    [join(folder, 'file/a.png'), /^--output: \S+file is a file, not a folder\n$/],
  ] as const) {
    t.match(await call(t, 'two_pictures', '-o', output), { code: 2, stdout: '', stderr: fault })
  }
  if (!noTerminal) {
    const { code, stdout } = await runOnTerminal(t, ['call', url, 'two_pictures', '-o', '-'])
    t.equal(code, 2)
    t.match(stdout, '--output - writes bytes, and stdout is a terminal; name a file')
  }
  t.equal(seen.written, before)
})

t.test('what cannot be saved is printed', async t => {
  const { path: folder } = tempFolder(t)
  const one = join(folder, 'a.png')

  t.match(await call(t, 'say', '-o', one), {
    code: 1,
    stdout: 'two\nlines\n',
    stderr: 'the result has no image, audio or file to save; it is printed instead\n',
  })
  const several = await call(t, 'two_pictures', '-o', one)
  t.match(several, {
    code: 1,
    stderr: /^could not save the result: the result has 2 files; --output FOLDER saves all; /,
  })
  t.strictSame(JSON.parse(several.stdout).content.length, 2)
  const full = await call(t, 'picture', '-o', '/dev/full')
  t.match(full, { code: 1, stderr: /^could not save the result: ENOSPC/ })
  t.equal(JSON.parse(full.stdout).content[0].data, PICTURE.toString('base64'))
  const twice = await call(t, 'two_pictures', '-o', one, '--json')
  t.equal(JSON.parse(twice.stdout).content.length, 2, 'one document')
  t.strictSame(readdirSync(folder), [])
})

t.test('rows are a table on a terminal, and JSON in a pipe', { skip: noTerminal }, async t => {
  const shown = toPlainText((await runOnTerminal(t, ['call', url, 'rows'], { columns: 80 })).stdout)

  t.match(shown, /^id {2}name\n 0 {2}order 0\n/)
  t.match(shown, /\n99 {2}order 99\n\ntotal: 130\n30 of 130 rows are left out; --json prints all\n$/)
  t.equal(JSON.parse((await call(t, 'rows')).stdout).orders.length, 130)
})

const NUMBERS = '{"list":[1.0,1e400,12345678901234567890,0.10]}'
for (const [how, type, frame] of [
  ['JSON', 'application/json', (text: string) => text],
  ['a stream', 'text/event-stream', (text: string) => `: begun\n\ndata: ${text}\n\n`],
] as const) {
  t.test(`numbers are as the server wrote them, in ${how}`, async t => {
    const tool = { name: 'numbers', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
    const server = await fakeServer(t, { 'tools/list': () => ({ tools: [tool] }) }, ({ message, response }) => {
      if (message.method !== 'tools/call') return false
      const result = `{"content":[{"type":"text","text":${JSON.stringify(NUMBERS)}}],"structuredContent":${NUMBERS}}`
      send(response, 200, frame(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`), type)
      return true
    })

    t.match(await runPiped(t, ['call', server, 'numbers']), { code: 0, stdout: `${NUMBERS}\n` })
    const { stdout } = await runPiped(t, ['call', server, 'numbers', '--json'])
    t.equal(stdout.replace(/\s/g, ''), NUMBERS)
    if (noTerminal) return
    const shown = await runOnTerminal(t, ['call', server, 'numbers'])
    t.equal(shown.stdout.replace(/\s/g, ''), NUMBERS)
  })
}

t.test(
  'a full disk behind stdout is one line',
  { skip: !existsSync('/dev/full') && 'there is no /dev/full' },
  async t => {
    const words = [process.execPath, serverProgram(), 'call', url, 'say']
    const ended = promisify(execFile)('sh', ['-c', '"$@" > /dev/full', 'sh', ...words])

    await t.rejects(ended, { code: 1, stderr: /^could not write to stdout: ENOSPC[^\n]+\n$/ })
  },
)
