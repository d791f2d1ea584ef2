// One request must not hold up the others: what is done to text takes time in proportion to its length.
import t from 'tap'
import { compile } from '../../../packages/json-schema/src/validator.ts'
import { cleanText } from '../../../src/text/clean.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

/** Generous for a busy machine; what was wrong here took minutes. */
const MAX_MS = 2000

t.test('escape sequences that never end are taken out in linear time', async t => {
  const introducers = [
    '\u001b]',
    '\u001bP',
    '\u001b_',
    '\u009d',
    '\u001b[',
    '\u009b',
    '\u001b[;',
    '\u001b]8;;',
    '\u001b(',
    '\u001b',
    '\u009b1;',
  ]

  for (const introducer of introducers) {
    for (const filler of ['', 'a', ';1', ' ']) {
      const text = (introducer + filler).repeat(200_000)
      t.ok(cpuMsOf(() => cleanText(text)) < MAX_MS, JSON.stringify(introducer + filler))
      t.ok(cpuMsOf(() => cleanText(introducer + filler.repeat(500_000))) < MAX_MS, 'one, and long')
    }
  }
})

t.test('escape sequences are taken out whole, and what is around them stays', async t => {
  const cases: Record<string, string> = {
    'a\u001b[1;31mb\u001b[0mc': 'abc',
    'a\u009b31mb': 'ab',
    'a\u001b]0;title\u0007b': 'ab',
    'a\u001b]0;title\u001b\\b': 'ab',
    'a\u009d0;title\u009cb': 'ab',
    'a\u001bPq#0;2;0\u001b\\b': 'ab',
    'a\u001b_secret\u001b\\b': 'ab',
    'a\u001b(Bb': 'ab',
    'a\u001b7b\u001b8c': 'abc',
    'a\u001b]no end': 'ano end',
    'a\u001b[': 'a',
    'a\u001b': 'a',
    'a\u001b]\u001b[31mb': 'ab',
    '[31m](x)': '[31m](x)',
  }

  for (const [dirty, clean] of Object.entries(cases)) {
    const tally = { stripped: 0 }
    t.equal(cleanText(dirty, tally), clean, JSON.stringify(dirty))
    t.equal(tally.stripped, dirty.length - clean.length)
  }
})

t.test('every format checks a megabyte in linear time', async t => {
  const formats = [
    'date',
    'time',
    'date-time',
    'duration',
    'uri',
    'uri-reference',
    'uri-template',
    'url',
    'email',
    'hostname',
  ]
  const others = [
    'ipv4',
    'ipv6',
    'regex',
    'uuid',
    'json-pointer',
    'relative-json-pointer',
    'byte',
    'iso-time',
    'iso-date-time',
  ]
  const texts = ['http://::', 'http://a.', 'a@a.', '2026-01-01T0', 'P1', '{a', '((', '/~0', '0:'].map(
    text => text.slice(0, 7) + text.slice(-2).repeat(500_000),
  )

  for (const format of [...formats, ...others]) {
    const { isValid } = compile({ type: 'string', format })
    t.ok(cpuMsOf(() => texts.forEach(isValid)) < MAX_MS, format)
  }
})

t.test('the format url is that of http, https and ftp', async t => {
  const { isValid } = compile({ type: 'string', format: 'url' })

  for (const url of ['https://example.com', 'http://localhost:3000/a?b#c', 'ftp://example.com/x', 'HTTPS://例え.jp'])
    t.ok(isValid(url), url)
  for (const url of [
    '',
    'example.com',
    '/a',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'http:// x',
    'mailto:a@b.c',
  ])
    t.notOk(isValid(url), url)
})
