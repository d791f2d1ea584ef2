// What a thrown value says of itself, also one that is no error or whose message is empty.
import t from 'tap'
import { explainError, readCauses, readErrorMessage } from '../../../src/text/thrown.ts'

const refused = (address: string) =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' })
/** What `connect` to a name with two addresses fails with. */
const refusedTwice = () =>
  Object.assign(new AggregateError([refused('::1:1'), refused('127.0.0.1:1')], ''), { code: 'ECONNREFUSED' })
const named = (name: string, message = '') => Object.assign(new Error(message), { name })

/** An error without a message, with a cause that many levels down. */
const causes = (levels: number): unknown => (levels === 0 ? 'real' : new Error('', { cause: causes(levels - 1) }))

async function caught(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (thrown) {
    return thrown
  }
  throw new Error('nothing was thrown')
}

const TEXTS: [what: string, make: () => unknown, text: string][] = [
  [
    'errors within an empty AggregateError',
    refusedTwice,
    'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
  ],
  [
    'errors in an AggregateError that has a message',
    () => new AggregateError([new Error('a')], 'all failed'),
    'all failed',
  ],
  ['equal errors', () => new AggregateError([new Error('a'), new Error('a'), 'b']), 'a; b'],
  [
    'errors within errors',
    () => new AggregateError([refusedTwice()]),
    'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
  ],
  ['many errors', () => new AggregateError([1, 2, 3, 4, 5, 6, 7]), '1; 2; 3; 4; 5; and 2 more'],
  ['an AggregateError without errors', () => new AggregateError([]), 'AggregateError'],
  ['a code', () => Object.assign(new Error(''), { code: 'EPIPE' }), 'EPIPE'],
  ['a code of an object', () => ({ code: 11_000 }), '11000'],
  ['a code and a text', () => ({ code: 'QUOTA', error: 'quota exceeded' }), 'quota exceeded (QUOTA)'],
  [
    'a code and an error',
    () => ({ code: 'QUOTA', error: new Error('QUOTA: quota exceeded') }),
    'QUOTA: quota exceeded',
  ],
  ['an error that is an object', () => ({ error: { message: 'no such table' } }), 'no such table'],
  ['errors of GraphQL', () => ({ errors: [{ message: 'no such field' }] }), 'no such field'],
  ['a name', () => named('QuotaError'), 'QuotaError'],
  ['a name of a DOMException', () => new DOMException('', 'NotFoundError'), 'NotFoundError'],
  ['a response', () => new Response('body', { status: 503, statusText: 'Down' }), 'HTTP 503 Down'],
  ['a response of HTTP/2', () => new Response('body', { status: 404 }), 'HTTP 404 Not Found'],
  ['a SuppressedError', () => new SuppressedError(new Error('close'), new Error('work'), ''), 'work; close'],
  ['a SuppressedError that has a message', () => new SuppressedError(1, 2, 'both'), 'both'],
  ['a response of node:http', () => ({ statusCode: 404, statusMessage: 'Not Found' }), 'HTTP 404 Not Found'],
  ['the class of an error without a name', () => new (class NotFound extends Error {})(), 'NotFound'],
  ['the cause', () => new Error('', { cause: new Error('real') }), 'real'],
  ['the cause of an error within', () => new AggregateError([new Error('', { cause: 'real' }), 'b']), 'real; b'],
  ['the cause and a code', () => Object.assign(new Error('', { cause: 'real' }), { code: 'E1' }), 'real (E1)'],
  ['the causes, as far as they are read', () => causes(3), 'real'],
  ['nothing of a cause that is further', () => causes(4), ''],
  ['the errors that are there', () => new AggregateError([undefined, null, 0]), '0'],
  ['a detail', () => ({ type: 'about:blank', title: 'Not found', status: 404, detail: 'No order 7' }), 'No order 7'],
  ['a title', () => ({ title: 'Not found', status: 404 }), 'Not found'],
  ['a reason', () => ({ code: 1006, reason: 'gone' }), 'gone'],
  ['a description', () => ({ error: 'invalid_grant', error_description: 'token expired' }), 'token expired'],
  ['nothing of a detail that is empty', () => ({ detail: ' ', status: 404 }), ''],
  ['nothing of an error', () => new Error(''), ''],
  ['nothing of a blank message', () => new Error(' \n\u200b'), ''],
  ['nothing of an object', () => ({ unit: 'cm' }), ''],
  ['nothing of a function', () => named, ''],
]

for (const [what, make, text] of TEXTS) {
  t.test(`thrown: the text has ${what}`, async t => {
    t.equal(readErrorMessage(make()), text)
  })
}

t.test('thrown: what the engine says of several errors has their texts', async t => {
  const any = await caught(() =>
    Promise.any([Promise.reject(new Error('mirror 1')), Promise.reject(new Error('mirror 2'))]),
  )
  const disposed = await caught(() => {
    using _open = {
      [Symbol.dispose]() {
        throw new Error('close')
      },
    }
    throw new Error('work')
  })

  t.equal(readErrorMessage(any), 'All promises were rejected: mirror 1; mirror 2')
  t.equal(readErrorMessage(disposed), 'An error was suppressed during disposal: work; close')
})

t.test('thrown: a response that was fetched names its host, and neither path nor query', async t => {
  const response = Object.defineProperty(new Response(null, { status: 500 }), 'url', {
    value: 'https://a.example/x?y=z',
  })

  t.equal(readErrorMessage(response), 'HTTP 500 Internal Server Error from a.example')
})

t.test('thrown: an error within that cannot be read hides no other', async t => {
  const trap = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )

  t.equal(readErrorMessage(new AggregateError([trap, 'b'])), 'The tool failed with an error that cannot be read; b')
})

t.test('thrown: errors that contain themselves end', async t => {
  const circle = new AggregateError([])
  circle.errors.push(circle, circle)

  t.equal(readErrorMessage(circle), 'AggregateError')
  t.equal(readCauses(circle).length, 10)
})

t.test('causes: those of all errors within, nearest first, with a bound', async t => {
  const deep = new Error('a', { cause: new Error('b', { cause: new Error('c', { cause: new Error('d') }) }) })
  const first = new Error('one', { cause: 'of one' })
  const messages = (thrown: unknown) => readCauses(thrown).map(readErrorMessage)

  t.strictSame(messages(deep), ['b', 'c', 'd'])
  t.strictSame(messages(new AggregateError([first, 'two'], 'x', { cause: 'top' })), ['top', 'one', 'two', 'of one'])
  t.strictSame(messages(new SuppressedError('close', first, '')), ['one', 'close', 'of one'])
  t.strictSame(messages({ code: 1, error: first }), ['one', 'of one'])
  t.strictSame(messages(new AggregateError([undefined, null, 0])), ['0'])
  t.equal(readCauses(new AggregateError(Array.from({ length: 5000 }, () => first))).length, 10)
})

t.test('explanation: a message with its causes, each once', async t => {
  const fetchFailed = new TypeError('fetch failed', { cause: refusedTwice() })
  const circle = new Error('x')
  circle.cause = circle

  t.equal(explainError(fetchFailed), 'fetch failed: connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1')
  t.equal(explainError(circle), 'x')
  t.equal(explainError('text'), 'text')
})
