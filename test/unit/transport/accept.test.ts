import t from 'tap'
import { parseAccept } from '../../../src/transport/accept.ts'

const BOTH = { json: true, sse: true, namesSse: true, prefersSse: false }
const ALL = { ...BOTH, namesSse: false }
const JSON_ONLY = { json: true, sse: false, namesSse: false, prefersSse: false }
const SSE_ONLY = { json: false, sse: true, namesSse: true, prefersSse: true }
const NEITHER = { json: false, sse: false, namesSse: false, prefersSse: false }

const CASES: [header: string | undefined, types: object][] = [
  [undefined, ALL],
  ['*/*', ALL],
  ['application/json, */*;q=0.1', ALL],
  ['application/json, text/event-stream;q=0.1', BOTH],
  ['application/json, text/event-stream', BOTH],
  ['text/event-stream, application/json', { ...BOTH, prefersSse: true }],
  ['text/event-stream;q=0.5, application/json;q=0.4', { ...BOTH, prefersSse: true }],
  ['text/event-stream;q=0.4, application/json;q=0.5', BOTH],
  ['text/event-stream, */*', { ...BOTH, prefersSse: true }],
  ['*/*, text/event-stream', BOTH],
  ['*/*;q=0.1, text/event-stream', { ...BOTH, prefersSse: true }],
  ['application/*, text/*', BOTH],
  ['text/*', SSE_ONLY],
  ['TEXT/EVENT-STREAM', SSE_ONLY],
  ['application/json', JSON_ONLY],
  ['text/event-stream;q=0, application/json, */*;q=0.1', JSON_ONLY],
  ['text/event-stream;q=0, text/*, application/json', JSON_ONLY],
  ['text/*;q=0, */*', JSON_ONLY],
  ['application/json;q=0, */*', { ...SSE_ONLY, namesSse: false }],
  ['application/*;q=0, application/json, */*;q=0', JSON_ONLY],
  ['*/*;q=1, application/json;q=0.2, text/event-stream;q=0.1', BOTH],
  ['*/*;q=1, application/json;q=0.1, text/event-stream;q=0.2', { ...BOTH, prefersSse: true }],
  ['*/*, application/json;q=0, text/event-stream;q=0', NEITHER],
  ['*/*;q=0', NEITHER],
  ['text/html', NEITHER],
]

for (const [header, types] of CASES) {
  t.test(`${header}: the most specific range counts`, async t => t.strictSame(parseAccept(header), types))
}
