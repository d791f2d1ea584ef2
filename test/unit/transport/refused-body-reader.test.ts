// The body of a request that its headers have refused, read for its id: within bounds, and once.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import t from 'tap'
import { BodyBytes, createBodyBounds } from '../../../src/transport/body-bytes.ts'
import { MAX_ANONYMOUS_WAITS, RefusedBodyReader } from '../../../src/transport/refused-body-reader.ts'

const LIMIT = 1000

/** A POST of which so much is announced, and nothing has come. */
function post(headers: object = { 'content-length': '5' }, method = 'POST') {
  return Object.assign(new Readable({ read() {} }), { method, headers }) as unknown as IncomingMessage & Readable
}

function reader() {
  const bodies = new RefusedBodyReader(new BodyBytes(createBodyBounds(0)))
  const heard: (string | undefined)[] = []
  const read = (request: IncomingMessage, reason: 'UNAUTHENTICATED' | 'NOT_ACCEPTABLE' | 'BUSY' = 'UNAUTHENTICATED') =>
    bodies.read({ raw: request, clientKey: 'a' }, reason, LIMIT, body => heard.push(body?.toString()))
  return { read, heard }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

t.test('a body is whole when it has ended, and told once', async t => {
  const { read, heard } = reader()
  const request = post()

  t.ok(read(request))
  request.push('ab')
  await turn()
  t.same(heard, [])
  request.push('cde')
  request.push(null)
  await turn()
  request.destroy()
  await turn()

  t.same(heard, ['abcde'])
  t.notOk(read(request), 'it is read once')
})

t.test('what is longer than it said, or ends early, is told of as nothing', async t => {
  const { read, heard } = reader()
  const [long, left] = [post({ 'transfer-encoding': 'chunked' }), post()]

  t.ok(read(long, 'NOT_ACCEPTABLE'))
  long.push('x'.repeat(LIMIT + 1))
  await turn()
  t.ok(read(left))
  left.destroy()
  await turn()

  t.same(heard, [undefined, undefined])
  t.ok(long.readableFlowing, 'the rest runs off')
})

t.test('nothing is read of other verbs, of other refusals, or without an announced length', async t => {
  const { read } = reader()

  t.notOk(read(post(undefined, 'GET')))
  t.notOk(read(post(), 'BUSY'))
  for (const length of ['0', '-1', 'x', '', '8193', undefined])
    t.notOk(read(post({ 'content-length': length })), `${length}`)
  t.notOk(read(post({ 'transfer-encoding': 'chunked' })), 'of a stranger')
})

t.test('past so many strangers at once the others are not waited for; each that ends makes room', async t => {
  // On a slow machine their waits would end by themselves.
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { read, heard } = reader()
  const strangers = Array.from({ length: MAX_ANONYMOUS_WAITS }, () => post())
  for (const stranger of strangers) t.ok(read(stranger))

  t.notOk(read(post()))
  t.ok(read(post(), 'NOT_ACCEPTABLE'), 'who is known has not to wait for them')
  strangers[0]!.push(null)
  await turn()
  t.ok(read(post()))

  t.equal(heard.length, 1)
})
