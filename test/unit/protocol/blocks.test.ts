// Content blocks as rows: what each type is for handlers, for older clients, and for readers without MCP.
import t from 'tap'
import {
  BLOCK_TYPES,
  BLOCKS,
  type ContentBlock,
  looksLikeBlock,
  toFile,
  toKnownBlock,
  toText,
} from '../../../src/protocol/blocks.ts'
import { findBlockIssue } from '../../../src/registry/content.ts'

const data = Buffer.from('bytes').toString('base64')
const EXAMPLES: Readonly<Record<keyof typeof BLOCKS, ContentBlock>> = {
  text: { type: 'text', text: 'hello' },
  image: { type: 'image', data, mimeType: 'image/png' },
  audio: { type: 'audio', data, mimeType: 'audio/wav' },
  resource_link: { type: 'resource_link', uri: 'docs://a', name: 'a' },
  resource: { type: 'resource', resource: { uri: 'docs://a', text: 'hello' } },
}

for (const type of BLOCK_TYPES) {
  t.test(`a block of type ${type} is valid, and a value without its mark is data`, async t => {
    const block = EXAMPLES[type]
    t.equal(findBlockIssue(block), undefined)
    t.ok(looksLikeBlock(block))
    const { [BLOCKS[type].mark]: _, ...rest } = block as unknown as Record<string, unknown>
    t.notOk(looksLikeBlock(rest))
    t.strictSame(toKnownBlock({ ...block, other: 1 }), block)
  })
}

t.test('texts are those of texts and of resources', async t => {
  const texts = Object.fromEntries(BLOCK_TYPES.map(type => [type, toText(EXAMPLES[type])]))
  const none = { image: undefined, audio: undefined, resource_link: undefined }
  t.strictSame(texts, { text: 'hello', ...none, resource: 'hello' })
})

t.test('files are media, and resources with the type that they have or are', async t => {
  const bytes = Buffer.from('bytes')
  t.strictSame(toFile(EXAMPLES.image), { mimeType: 'image/png', bytes })
  const uri = 'docs://a'
  t.strictSame(toFile(EXAMPLES.resource), { uri, mimeType: 'text/plain', bytes: Buffer.from('hello') })
  const blob = toFile({ type: 'resource', resource: { uri, blob: data } })
  t.strictSame(blob, { uri, mimeType: 'application/octet-stream', bytes })
  t.equal(toFile(EXAMPLES.text), undefined)
  t.equal(toFile(EXAMPLES.resource_link), undefined)
})
