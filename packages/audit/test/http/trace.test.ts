// W3C Trace Context: the id of the trace is taken where it is valid, from the message before the header.
import t from 'tap'
import { findTraceId } from '../../../../src/observability/trace-context.ts'
import { call } from '../../../../test/support/app.ts'
import { audited } from '../../../../test/support/audited.ts'

const ID = '0af7651916cd43dd8448eb211c80319c'
const parent = (id = ID, version = '00', more = '') => `${version}-${id}-b7ad6b7169203331-01${more}`

t.test('audit: the trace id of _meta comes before that of the header', async t => {
  const app = await audited(t)
  const headers = { traceparent: parent('1'.repeat(32)) }

  await call(app, 'ping', {}, { headers, meta: { traceparent: parent() } }).catch(() => {})
  await call(app, 'tools/list', {}, { headers, meta: { traceparent: parent() } })
  await call(app, 'tools/list', {}, { headers, meta: { traceparent: 'nonsense' } })
  await call(app, 'tools/list')

  t.match(
    app.audit.lines.map(({ traceId }) => traceId),
    [ID, ID, '1'.repeat(32), undefined],
  )
})

const INVALID = [
  parent('0'.repeat(32)),
  parent().replace('b7ad6b7169203331', '0'.repeat(16)),
  parent(ID, 'ff'),
  parent(ID.toUpperCase()),
  parent(ID, '00', '-more'),
  parent(ID.slice(1)),
  `${parent()}\n`,
  `${parent()}, ${parent()}`,
  parent(ID, '01', `-${'x'.repeat(1000)}`),
  7,
  {},
]

t.test('audit: a traceparent that is not valid is none', async t => {
  for (const value of INVALID) t.equal(findTraceId({ _meta: { traceparent: value } }, {}), undefined, String(value))

  t.equal(findTraceId({ _meta: { traceparent: parent(ID, '01', '-more') } }, {}), ID, 'a version to come')
})
