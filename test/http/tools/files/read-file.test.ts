import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { call, callTool } from '../../../support/app.ts'
import { readContent } from '../../../support/tools/file-tools.ts'
import { errorOf, filesFolder, openBelow, ownContent, serve } from '../../../support/tools/shipped.ts'

t.test('read_file: the example of its description', async t => {
  const result = await readContent(t, 'Buy milk\nCall Ada...\n', { lines: 1 })

  t.equal(result.content[0].text, 'Buy milk\n')
  t.match(result.content[1].text, 'Lines 1 to 1. There are more: go on with startLine 2.')
  const { modified, ...rest } = result.structuredContent
  t.match(modified, /^20\d\d-/)
  t.strictSame(rest, {
    path: 'file',
    mimeType: 'text/plain',
    size: 21,
    startLine: 1,
    lines: 1,
    nextLine: 2,
    nextOffset: 9,
    isComplete: false,
  })
})

t.test('read_file: a whole text', async t => {
  const result = await readContent(t, 'a\r\nb\n\nd')

  t.strictSame(ownContent(result), [{ type: 'text', text: 'a\r\nb\n\nd' }])
  t.match(result.structuredContent, { lines: 4, totalLines: 4, isComplete: true })
})

t.test('read_file: an empty file is an empty text', async t => {
  const result = await readContent(t, '')

  t.strictSame(ownContent(result), [{ type: 'text', text: '' }])
  t.match(result.structuredContent, { lines: 0, totalLines: 0, size: 0, isComplete: true })
})

t.test('read_file: an empty file is an empty text by bytes too', async t => {
  const result = await readContent(t, '', { offset: 0 })

  t.match(result.content[0], { type: 'text', text: '' })
  t.match(result.structuredContent, { mimeType: 'text/plain', offset: 0, length: 0, isComplete: true })
})

t.test('read_file: some lines from the middle, and the last', async t => {
  const middle = await readContent(t, '1\n2\n3\n4\n5', { startLine: 2, lines: 2 })
  const last = await readContent(t, '1\n2\n3\n4\n5', { startLine: 5 })

  t.equal(middle.content[0].text, '2\n3\n')
  t.match(middle.structuredContent, { startLine: 2, lines: 2, nextLine: 4, nextOffset: 6, isComplete: false })
  t.equal(last.content[0].text, '5')
  t.match(last.structuredContent, { lines: 1, totalLines: 5, isComplete: false })
})

for (const [what, bytes] of [
  ['UTF-8 with a mark', Buffer.from('\ufeffGrüße\nÅ')],
  ['UTF-16, little end first', Buffer.from('\ufeffGrüße\nÅ', 'utf16le')],
  ['UTF-16, big end first', Buffer.from('\ufeffGrüße\nÅ', 'utf16le').swap16()],
] as const) {
  t.test(`read_file: ${what} is text`, async t => {
    const whole = await readContent(t, bytes)
    const { nextOffset } = (await readContent(t, bytes, { lines: 1 })).structuredContent
    const rest = await readContent(t, bytes, { offset: nextOffset })

    t.equal(whole.content[0].text, 'Grüße\nÅ')
    t.equal(rest.content[0].text, 'Å')
  })
}

t.test('read_file: a large text comes in parts that make the whole, with a link', async t => {
  const whole = Array.from({ length: 40_000 }, (_, index) => `line ${index} – ä\n`).join('')
  const base = filesFolder(t)
  writeFileSync(join(base, 'root/a b#1.txt'), whole)
  const app = await serve(t, 'read_file')
  const parts: string[] = []

  for (let startLine: number | undefined = 1; startLine !== undefined; ) {
    const result = await callTool(app, 'read_file', { path: 'a b#1.txt', startLine })
    t.ok(Buffer.byteLength(result.content[0].text) <= 256 * 1024)
    t.match(ownContent(result).at(-1), { type: 'resource_link', uri: 'files:///a%20b%231.txt', mimeType: 'text/plain' })
    parts.push(result.content[0].text)
    startLine = result.structuredContent.nextLine
  }
  const { result } = await call(app, 'resources/read', { uri: 'files:///a%20b%231.txt' })

  t.equal(parts.length, 3)
  t.ok(parts.join('') === whole)
  t.ok(result.contents[0].text === whole)
  t.strictSame(openBelow(base), [])
})

t.test('read_file: one endless line comes in parts by offset, no character cut', async t => {
  const whole = `${'€'.repeat(200_000)}\n`
  const base = filesFolder(t)
  writeFileSync(join(base, 'root/file'), whole)
  const app = await serve(t, 'read_file')

  const first = await callTool(app, 'read_file', { path: 'file' })
  const parts = [first.content[0].text]
  let { nextOffset } = first.structuredContent
  while (nextOffset !== undefined) {
    const result = await callTool(app, 'read_file', { path: 'file', offset: nextOffset, length: 100_000 })
    parts.push(result.content[0].text)
    nextOffset = result.structuredContent.nextOffset
  }

  t.notHas(first.structuredContent, { nextLine: Number })
  t.match(first.content[1].text, /Line 1 is longer than this: go on with offset \d+/)
  t.ok(parts.join('') === whole)
})

t.test('read_file: text that turns out to be none comes as bytes', async t => {
  const result = await readContent(t, Buffer.concat([Buffer.from('a\n'.repeat(33_000)), Buffer.from([0xff])]))

  t.match(ownContent(result).at(-1), { type: 'resource_link' })
  t.equal(result.structuredContent.mimeType, 'application/octet-stream')
})

t.test('the files resource: what is not there is no resource, what is refused is a fault', async t => {
  filesFolder(t)
  const app = await serve(t, 'read_file')
  const failureOf = async (uri: string) => (await call(app, 'resources/read', { uri })).error

  for (const uri of ['files:///nope.csv', 'files:///none/data.csv', 'files:///data.csv/x']) {
    t.match(await failureOf(uri), { code: -32602, data: { uri } }, uri)
  }
  t.match(await failureOf('files:///..%2fsecret.csv'), { code: -32602, message: /Resource not found/ })
  t.match(await failureOf('files:///a%5Csecret.csv'), { code: -32603, message: /is refused/ })
})

t.test('the files resource: a file that is too large says how to get it', async t => {
  const base = filesFolder(t)
  truncateSync(join(base, 'root/data.csv'), 3_000_001)
  const app = await serve(t, 'read_file')

  const { error } = await call(app, 'resources/read', { uri: 'files:///data.csv' })

  t.match(error, { code: -32603, message: /3000001 bytes, more than 3000000\. Call read_file with offset and length/ })
  t.strictSame(openBelow(base), [])
})

for (const [what, args, expected] of [
  ['a file that is not there', { path: 'nope' }, /no readable file "nope"/],
  ['a folder', { path: 'sales' }, /"sales" is not a regular file/],
  ['lines and bytes at once', { lines: 1, offset: 1 }, /either startLine and lines, or offset and length/],
  ['a line behind the end', { startLine: 9 }, /has 2 lines, and so no line 9/],
  ['an offset behind the end', { offset: 999 }, /has 4 bytes\. Pass a smaller offset/],
] as const) {
  t.test(`read_file: ${what} is an error that says what to do`, async t => {
    filesFolder(t)

    const result = await callTool(await serve(t, 'read_file'), 'read_file', { path: 'data.csv', ...args })

    t.match(errorOf(result), expected)
  })
}
