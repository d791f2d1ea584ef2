// What the console says of a token before it is sent. Sign-in itself is tested in test/browser.
import t from 'tap'
import { describeStrange } from '../../app/src/sign-in/token-words.ts'

t.test('a token that no header can hold is named, with the place', async t => {
  for (const [token, text] of [
    ['eyJhbGciOiJI…', /: it has … at place 13$/],
    ['\u200beyJ', /at place 1$/],
    ['“eyJ”', /: it has “ /],
    ['a\nb', /at place 2$/],
  ] as const)
    t.match(describeStrange(token), text)
  t.equal(describeStrange('eyJhbGciOiJIUzI1NiJ9.e30._-+/='), undefined)
})
