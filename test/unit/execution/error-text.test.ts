import t from 'tap'
import { errorText, isToolError, MAX_ERROR_TEXT } from '../../../src/execution/error-text.ts'
import { createMask } from '../../../src/execution/mask.ts'
import { asError } from '../../../src/execution/plain-error.ts'
import { ToolError } from '../../../src/index.ts'
import { cutText } from '../../../src/text/one-line.ts'

const mask = createMask(['secret-value'])

t.test('error text: the message, in one line', t => {
  t.equal(errorText(new Error(' first\r\n\n  second\tthird '), mask), 'first second third')
  t.equal(errorText('just a text', mask), 'just a text')
  t.end()
})

t.test('error text: neither stack nor cause nor the errors within', t => {
  const error = new AggregateError([new Error('inner')], 'outer', { cause: new Error('cause') })

  t.equal(errorText(error, mask), 'outer')
  t.end()
})

t.test('error text: masked, and then cut to 2,000 characters', t => {
  const text = errorText(new Error(`secret-value ${'x'.repeat(5000)}`), mask)

  t.match(text, /^\[secret\] x+…$/)
  t.equal(text.length, MAX_ERROR_TEXT)
  t.end()
})

t.test('error text: nothing of a secret that stands where a very long text is cut', t => {
  for (const room of [10, 500, 505])
    for (const before of [
      ' '.repeat(10_500 - room),
      `/home/${'x'.repeat(10_493 - room)} `,
      '\u001b[1m'.repeat(2_625 - room),
    ])
      t.notMatch(errorText(new Error(`of ${before}secret-value`), mask), 'secret-')
  for (const secret of ['correct horse battery staple', `key ${'z'.repeat(3000)}`])
    for (const room of [5, 20, 1000])
      t.notMatch(errorText(' '.repeat(10_000 - room) + secret, createMask([secret])), /corr|zzz/)
  t.match(errorText(new Error('y'.repeat(20_000)), mask), /^y{1999}…$/)
  t.equal(errorText(' '.repeat(20_000), mask), 'The tool failed without a message')
  t.equal(errorText(`${' '.repeat(10_100)}failed`, mask), 'failed')
  t.end()
})

t.test('error text: a secret with characters that are stripped is masked as well', t => {
  t.equal(errorText(new Error('sec\u200bret-\u001b[1mvalue'), mask), '[secret]')
  t.end()
})

t.test('error text: what has no message says so', t => {
  const nothing = [undefined, null, {}, [], new Error(''), new Error('\u0000\n'), { message: 5 }, () => 'source']

  for (const thrown of nothing) t.equal(errorText(thrown, mask), 'The tool failed without a message')
  t.end()
})

t.test('cut: a text within the length stays, a longer one ends in … and never in half a character', t => {
  t.equal(cutText('abc', 3), 'abc')
  t.equal(cutText('abcd', 3), 'ab…')
  t.equal(cutText('a\u{1f600}bc', 3), 'a…')
  t.end()
})

t.test('as error: an error stays itself; of anything else the message is kept', t => {
  const error = new ToolError('x')

  t.equal(asError(error), error)
  t.match(asError('text'), { message: 'text' })
  t.match(asError({ message: 'of an object' }), { message: 'of an object' })
  t.match(asError(new Proxy(new Error('behind a proxy'), {})), { message: 'behind a proxy' })
  t.end()
})

t.test('tool errors are told from others, also those of another copy of the package', t => {
  class ToolErrorToo extends Error {
    override name = 'ToolError'
  }

  t.ok(isToolError(new ToolError('x')))
  t.ok(isToolError(new ToolErrorToo('x')))
  t.notOk(isToolError(new TypeError('x')))
  t.notOk(isToolError({ name: 'ToolError', message: 'x' }))
  t.end()
})
