import t from 'tap'
import { createMediaPattern } from '../../../src/transport/media-type.ts'

const pattern = createMediaPattern('application/json', 'application/x-www-form-urlencoded')

const TAKEN = [
  'application/json',
  'Application/JSON',
  'application/x-www-form-urlencoded',
  'application/json;',
  'application/json ; ',
  'application/json;;charset=utf-8;',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8',
  'application/json; charset=us-ascii',
  'application/json; odata.metadata=none',
  'application/json; version=1; q; charset',
  'application/json; boundary=',
  'application/json; profile=https://a.example/b?c=d',
  'application/json; profile="charset=latin1; a,b \\" c"; charset=utf-8',
]
const REFUSED = [
  '',
  'application/jsonx',
  'application/json-seq',
  'application/xjson; charset=utf-8',
  'text/plain; a=application/json',
  'application/json charset=utf-8',
  'application/json; charset=latin1',
  'application/json; charset="utf-16"',
  'application/json; charset=',
  'application/json; charset=utf-8x',
  'application/json; charset=utf-8; charset=latin1',
  'application/json, application/json',
  'application/json; charset=utf-8, text/plain',
  'application/json; a="b',
  'application/json; =b',
]

for (const header of TAKEN) t.test(`${header} is taken`, async t => t.ok(pattern.test(header)))
for (const header of REFUSED) t.test(`${header} is refused`, async t => t.notOk(pattern.test(header)))

t.test('a type that seems made to be slow is refused, too', async t => {
  for (const rest of [' '.repeat(16_000), '; '.repeat(8000), '; a'.repeat(5000), ';a="\\"'.repeat(2500)])
    t.notOk(pattern.test(`application/json;${rest}\u0000`))
})
