// Which pages a tool may send a user to, and which part of the URL is shown as the host.
import t from 'tap'
import { parseQuestionUrl } from '../../app/src/questions/question-url.ts'

t.test('the host is the host, also if its letters stand in the protocol', async t => {
  for (const host of ['s', 'tp', 'pay.example', 'pay.example:8443', '[::1]:3000'])
    t.match(parseQuestionUrl(`https://${host}/${host}?to=${host}`), {
      before: 'https://',
      host,
      after: `/${host}?to=${host}`,
    })
})

t.test('a host that looks like another is marked', async t => {
  t.match(parseQuestionUrl('https://\u0430pple.example/'), { isForeign: true, host: 'xn--pple-43d.example' })
  t.match(parseQuestionUrl('https://apple.example/xn--pple'), { isForeign: false })
})

t.test('what is not opened', async t => {
  for (const url of ['http://pay.example/', 'javascript:alert(1)', 'data:text/html,a', 'pay', 'https://a@pay.example/'])
    t.match(parseQuestionUrl(url), { fault: String }, url)
  t.notMatch(parseQuestionUrl('http://localhost:3000/'), { fault: String }, 'but for this machine')
})
