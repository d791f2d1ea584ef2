import t from 'tap'
import { reading } from '../../../support/tools/reading.ts'
import { html } from '../../../support/tools/web-servers.ts'

const JAPANESE = Buffer.from([0x93, 0xfa, 0x96, 0x7b])
const page = (head: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`<html><head>${head}</head><body>`), body, Buffer.from('</body></html>')])

const CHARSETS: [what: string, type: string, body: Buffer, text: string][] = [
  ['the header', 'text/html; charset=Shift_JIS', page('', JAPANESE), '日本'],
  ['the header in quotes', 'text/html; charset="shift_jis"', page('', JAPANESE), '日本'],
  ['a meta', 'text/html', page('<meta charset="shift_jis">', JAPANESE), '日本'],
  [
    'a longer meta',
    'text/html',
    page(`<meta http-equiv="content-type" content="text/html; charset=sjis">`, JAPANESE),
    '日本',
  ],
  ['a byte order mark against the header', 'text/html; charset=latin1', Buffer.from('\ufeff<p>é'), 'é'],
  ['UTF-16 by its mark', 'text/html', Buffer.from('\ufeff<p>é', 'utf16le'), 'é'],
  ['UTF-16 by the header', 'text/plain; charset=utf-16le', Buffer.from('é', 'utf16le'), 'é'],
  [
    'an XML declaration',
    'application/xhtml+xml',
    Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><p>é</p>', 'latin1'),
    'é',
  ],
  ['nothing', 'text/html', Buffer.from('<p>é'), 'é'],
  ['what is unknown', 'text/html; charset=klingon', Buffer.from('<p>é'), 'é'],
  ['a meta that cannot be true', 'text/html', page('<meta charset="utf-16">', Buffer.from('é')), 'é'],
]

t.test('fetch_page: the charset is that of the mark, the header, the document, or UTF-8', async t => {
  const { read } = await reading(
    t,
    Object.fromEntries(CHARSETS.map(([, type, body], index) => [`/${index}`, html(body, type)])),
  )

  for (const [index, [what, , , text]] of CHARSETS.entries()) {
    t.equal((await read(`/${index}`)).structuredContent.text, text, what)
  }
})
