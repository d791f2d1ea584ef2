// Bytes as text: never replaced, with and without a byte order mark.
import t from 'tap'
import { decodeUtf8, readUtf8 } from '../../../src/text/utf8.ts'

t.test('a byte order mark stays, or goes; bytes that are not UTF-8 are no text', async t => {
  const marked = Buffer.from('\uFEFFé\n')
  t.equal(decodeUtf8(marked), '\uFEFFé\n')
  t.equal(readUtf8(marked), 'é\n')
  for (const bytes of [Buffer.from([0xff]), Buffer.from('é', 'latin1')]) {
    t.equal(decodeUtf8(bytes), undefined)
    t.equal(readUtf8(bytes), undefined)
  }
})
