// What read_file makes of files that are no text: images, audio, and other bytes.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { call, callTool } from '../../../support/app.ts'
import { readContent } from '../../../support/tools/file-tools.ts'
import { errorOf, filesFolder, ownContent, serve } from '../../../support/tools/shipped.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const riff = (type: string, rest: Buffer) =>
  Buffer.concat([Buffer.from('RIFF'), Buffer.from([rest.length + 4, 0, 0, 0]), Buffer.from(type), rest])
const WAV = riff(
  'WAVE',
  Buffer.from('fmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0data\0\0\0\0', 'latin1'),
)
const WEBP = riff('WEBP', Buffer.from('VP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0', 'latin1'))
const JPEG = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9', 'latin1')
const FLAC = Buffer.from('fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0a\xc4\x42\xf0', 'latin1')
const OGG = Buffer.from(
  'OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x1e\x01vorbis\0\0\0\0\x01\x44\xac\0\0',
  'latin1',
)
const MP3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0\xff\xfb\x90\x64', 'latin1'), Buffer.alloc(500)])

const MEDIA: [string, Buffer, string, string][] = [
  ['PNG', PNG, 'image', 'image/png'],
  ['JPEG', JPEG, 'image', 'image/jpeg'],
  ['GIF', GIF, 'image', 'image/gif'],
  ['WebP', WEBP, 'image', 'image/webp'],
  ['WAV', WAV, 'audio', 'audio/wav'],
  ['FLAC', FLAC, 'audio', 'audio/flac'],
  ['Ogg', OGG, 'audio', 'audio/ogg'],
  ['MP3', MP3, 'audio', 'audio/mpeg'],
]

for (const [what, bytes, type, mimeType] of MEDIA) {
  t.test(`read_file: ${what} comes as ${type}, whatever its name`, async t => {
    const result = await readContent(t, bytes)

    t.strictSame(ownContent(result), [{ type, data: bytes.toString('base64'), mimeType }])
    t.match(result.structuredContent, { mimeType, size: bytes.length, isComplete: true })
  })
}

t.test('read_file: other bytes come embedded where they are few, else as a link that leads to them', async t => {
  const few = Buffer.from([0, 1, 2, 255])
  const many = Buffer.alloc(2_500_000, few)
  const base = filesFolder(t)
  writeFileSync(join(base, 'root/few'), few)
  writeFileSync(join(base, 'root/many'), many)
  const app = await serve(t, 'read_file')

  const small = await callTool(app, 'read_file', { path: 'few' })
  const large = await callTool(app, 'read_file', { path: 'many' })
  const { result } = await call(app, 'resources/read', { uri: large.content[1].uri })

  const blob = few.toString('base64')
  t.match(small.content, [
    { type: 'resource', resource: { uri: 'files:///few', mimeType: 'application/octet-stream', blob } },
  ])
  t.match(large.content, [
    { type: 'text' },
    { type: 'resource_link', uri: 'files:///many', name: 'many', size: 2_500_000 },
  ])
  t.equal(large.structuredContent.isComplete, false)
  t.ok(Buffer.from(result.contents[0].blob, 'base64').equals(many))
})

t.test('read_file: what the resource would refuse has no link', async t => {
  const bytes = await readContent(t, Buffer.alloc(3_000_001))
  const text = await readContent(t, 'line\n'.repeat(600_001))

  t.match(bytes.content[0].text, /^3000001 bytes of .*: read parts by offset and length\.$/)
  t.equal(ownContent(bytes).length, 1)
  t.strictSame(
    ownContent<{ type: string }>(text).map(({ type }) => type),
    ['text', 'text'],
  )
})

t.test('read_file: an image of 2 MiB fits into a result, a larger one is a link', async t => {
  const fits = await readContent(t, Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024 - PNG.length)]))
  const larger = await readContent(t, Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]))

  t.equal(fits.content[0].type, 'image')
  t.match(larger.content, [{ type: 'text' }, { type: 'resource_link', mimeType: 'image/png' }])
})

t.test('read_file: a part of other bytes', async t => {
  const result = await readContent(t, Buffer.from('\xff\0'.repeat(50), 'latin1'), { offset: 90, length: 8 })

  t.equal(result.content[0].resource.blob, Buffer.from('\xff\0'.repeat(4), 'latin1').toString('base64'))
  t.match(result.structuredContent, { offset: 90, length: 8, nextOffset: 98, isComplete: false })
})

t.test('read_file: lines of what is no text are an error', async t => {
  t.match(errorOf(await readContent(t, PNG, { lines: 1 })), /is not text, so it has no lines/)
})
