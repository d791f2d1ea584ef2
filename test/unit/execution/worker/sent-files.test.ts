import t from 'tap'
import { fromSentFiles, toSentFiles } from '../../../../src/execution/worker/sent-files.ts'
import { file } from '../../../../src/index.ts'

t.test('a file of an isolated tool stays what it was to be: embedded if small, or a link', async t => {
  const files = [file('a', { name: 'a.txt' }), file('b', { name: 'b.txt', as: 'link' })]
  const sent = await toSentFiles(files, new AbortController().signal, text => new Error(text))

  const received = fromSentFiles(JSON.parse(JSON.stringify(sent)))

  t.match(received, [
    { name: 'a.txt', mimeType: 'text/plain', isLink: false },
    { name: 'b.txt', mimeType: 'text/plain', isLink: true },
  ])
})
