// What plain HTTP keeps and reads is bounded: texts of lists, schemas of a field.
import t from 'tap'
import { MAX_SCHEMAS } from '../../json-schema/src/part-schema.ts'
import { toArguments } from '../src/form-arguments.ts'
import { Documents, isSameDocument, MAX_KEPT } from '../src/listing.ts'

t.test('a text is made once for each set of tools; the oldest goes when there are too many', async t => {
  const documents = new Documents()
  const made: string[] = []
  const get = (key: string) =>
    documents.getOrCreate(key, () => {
      made.push(key)
      return { key }
    })

  const first = get('0')
  t.equal(get('0'), first)
  for (let key = 1; key < MAX_KEPT; key++) get(String(key))
  t.equal(get('0'), first)
  get(String(MAX_KEPT))

  t.equal(made.length, MAX_KEPT + 1)
  t.not(get('0'), first, 'made again')
  t.equal(get('0').etag, first.etag)
})

t.test('If-None-Match names one of several, weakly or strongly, or all', async t => {
  const document = new Documents().getOrCreate('', () => ({}))

  for (const known of [document.etag, `"x", W/${document.etag}`, '*']) t.ok(isSameDocument(known, document), known)
  for (const other of [undefined, '', '"x"', document.etag.slice(1)])
    t.notOk(isSameDocument(other, document), String(other))
})

t.test('of the schemas of a field so many are read', async t => {
  const parse = (count: number) => {
    const a = { anyOf: [...Array.from({ length: count }, () => ({ type: 'boolean' })), { type: 'number' }] }
    return toArguments([{ name: 'a', value: '2' }], { type: 'object', properties: { a } })
  }

  t.strictSame(parse(10), { a: 2 })
  t.strictSame(parse(MAX_SCHEMAS), { a: '2' })
})
