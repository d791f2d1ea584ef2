// What a terminal would obey is shown, and does nothing.
import t from 'tap'
import { toVisible, toVisibleLine } from '../../../src/text/visible.ts'
import { HOSTILE } from '../../support/callable-tools.ts'

for (const [text, shown] of [
  ['\u001b[31mred', '\\x1b[31mred'],
  ['\u0007', '\\x07'],
  ['\u009b5m', '\\x9b5m'],
  ['a\rb', 'a\\x0db'],
  ['a\r\nb\tc\n', 'a\nb\tc\n'],
  ['\u202etxt', '\\u{202e}txt'],
  ['a\u{e0041}', 'a\\u{e0041}'],
  ['\u200b', '\\u{200b}'],
  ['\ud800', '\ufffd'],
  ['é 👩‍👧', 'é 👩‍👧'],
] as const) {
  t.test(JSON.stringify(text), async t => t.equal(toVisible(text), shown))
}

t.test('a line is one line', async t => {
  t.equal(toVisibleLine(' a\n\tb\u2028c '), 'a b\\u{2028}c')
  t.notMatch(toVisibleLine(HOSTILE), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
})
