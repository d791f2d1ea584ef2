// Text for models and terminals: what ends a line stays an end of a line, and no words are joined.
import t from 'tap'
import { cleanLine, cleanText } from '../../../src/text/clean.ts'

const NEWLINES = {
  CR: '\r',
  NEL: '\u0085',
  FF: '\f',
  VT: '\v',
  IND: '\u0084',
  FS: '\u001c',
  GS: '\u001d',
  RS: '\u001e',
  'NEL as an escape': '\u001bE',
  'IND as an escape': '\u001bD',
  'the cursor to the next line': '\u001b[1E',
  'the cursor down': '\u001b[2B',
  'the cursor down, in 8 bits': '\u009bB',
}

for (const [name, newline] of Object.entries(NEWLINES)) {
  t.test(`clean text: ${name} between words becomes a line feed`, async t => {
    t.equal(cleanText(`one${newline}two`), 'one\ntwo')
    t.equal(cleanText(`${newline}one two${newline}${newline}`), '\none two\n\n')
    t.equal(cleanLine(`one${newline}two${newline}`), 'one two')
  })
}

t.test('clean text: CR LF and line feeds stay', async t => {
  for (const text of ['a\r\nb\nc\td', '\r\n', 'a\n\rb'.replace('\r', '')]) t.equal(cleanText(text), text)
  t.equal(cleanText('a\r\r\nb\n\rc'), 'a\n\r\nb\n\nc')
  t.equal(cleanText('50 %\r\u001b[2K100 %\u001b[0m\r\n'), '50 %\n100 %\r\n')
})

t.test('clean text: a unit separator becomes a blank; NUL, which UTF-16 has after each letter, is removed', async t => {
  const tally = { stripped: 0 }

  t.equal(cleanText('id\u001fname', tally), 'id name')
  t.equal(tally.stripped, 0)
  t.equal(cleanText('o\0n\0e\0'), 'one')
  t.equal(cleanText('50\u001b[?1E %\u001b[31mB\u001b[1A'), '50 %B')
})

t.test('clean text: only what is removed counts as stripped', async t => {
  const tally = { stripped: 0 }

  t.equal(cleanText('a\r\u200bb\u0085\u001b[1mc', tally), 'a\nb\nc')
  t.equal(tally.stripped, 5)
})
