// The id of what is refused unparsed: read where it can be, and never guessed.
import t from 'tap'
import { findId } from '../../../src/protocol/find-id.ts'

const find = (text: string) => findId(Buffer.from(text))

t.test('an id is found wherever it stands at the top, and however it is written', async t => {
  const ids: [text: string, id: string | number][] = [
    ['{"jsonrpc":"2.0","id":7,"method":"x"}', 7],
    ['{"id":"a"}', 'a'],
    [' \r\n\t{ "id" \n:\t "a b" \n, "x" : [] } \n', 'a b'],
    ['{"params":{"id":1,"a":["}",{"id":2}]},"id":"last"}', 'last'],
    ['{"a":"\\"id\\":9,","id":0}', 0],
    ['{"\\u0069\\u0064":"\\ud83d\\ude00"}', '😀'],
    ['{"id":""}', ''],
    ['{"id":-3,"Id":4}', -3],
    [`{"id":"${'\\u0078'.repeat(1024)}"}`, 'x'.repeat(1024)],
    [`{"id":1,"${'n'.repeat(9000)}":2}`, 1],
    [`{"id":1,"a":${'['.repeat(500)}${']'.repeat(500)}}`, 1],
    ['{"id":1,"a":{"x":1,"x":2},"method":1,"method":2}', 1],
  ]

  for (const [text, id] of ids) t.equal(find(text), id, text.slice(0, 60))
})

t.test('what holds no id, or an ambiguous one, has none', async t => {
  const texts = [
    '',
    '{}',
    'null',
    '"id"',
    '{"params":{"id":1}}',
    '{"id":null}',
    '{"id":1.5}',
    '{"id":9007199254740993}',
    '{"id":{}}',
    '{"id":[1]}',
    '{"id":tru}',
    '{"id":"\\ud800"}',
    `{"id":"${'x'.repeat(1025)}"}`,
    `{"id":${' '.repeat(9000)}1}`,
    '{"id":1,"id":1}',
    '{"id":1,"\\u0069d":2}',
    '{"id" : 1, "id"  :2}',
    '{"ID":1}',
    '[{"id":1}]',
  ]

  for (const text of texts) t.equal(find(text), undefined, text.slice(0, 60))
})

t.test('the id of an answer is not ours to repeat', async t => {
  for (const text of ['{"id":1,"result":{}}', '{"error":{},"id":1}', '{"id":1,"re\\u0073ult":{}}'])
    t.equal(find(text), undefined, text)
})

t.test('what is no whole object of UTF-8 has none', async t => {
  for (const text of [
    '{"id":1',
    '{"id":1,"a":[}',
    '{"id":"1}',
    '{"id":1}}',
    '{"id":1} x',
    'x {"id":1}',
    '\ufeff{"id":1}',
  ])
    t.equal(find(text), undefined, text)
  t.equal(findId(Buffer.from([...Buffer.from('{"id":1,"a":"'), 0xff, 0x22, 0x7d])), undefined)
})
