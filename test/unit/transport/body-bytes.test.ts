// Bodies that are not complete: counted as they come, for a client and for the process.
import t from 'tap'
import { BodyBytes, createBodyBounds, type IncomingBody } from '../../../src/transport/body-bytes.ts'

function counting() {
  const bodies = new BodyBytes({ process: 1000, client: 400 })
  const refused: [name: string, reason: string][] = []
  const begin = (client: string, bytes: number, name = client): IncomingBody => {
    const body = bodies.begin(client, ({ reason }) => refused.push([name, reason]))
    bodies.add(body, bytes)
    return body
  }
  return { bodies, refused, begin }
}

t.test('past its share the body of a client that goes on is refused; an end makes room', async t => {
  const { bodies, refused, begin } = counting()
  const first = begin('a', 300, 'first')

  begin('a', 100, 'second')
  t.same(refused, [])
  begin('a', 1, 'third')
  t.same(refused, [['third', 'RATE_LIMITED']])
  bodies.end(first)
  bodies.end(first)
  begin('a', 300, 'fourth')

  t.equal(refused.length, 1)
  t.equal(bodies.bytes, 400)
})

t.test('past the bound of the process, the oldest of who has most is refused', async t => {
  const { bodies, refused, begin } = counting()
  begin('poor', 1)
  begin('a', 200, 'oldest')
  begin('a', 200, 'newer')
  begin('b', 399)
  begin('c', 200)
  t.same(refused, [])

  begin('d', 1)

  t.same(refused, [['oldest', 'BUSY']])
  t.equal(bodies.bytes, 801)
})

t.test('the bounds follow the size that a body may have', async t => {
  t.same(createBodyBounds(2 ** 21), { process: 128 * 2 ** 20, client: 32 * 2 ** 20 })
  t.same(createBodyBounds(1024), { process: 64 * 2 ** 20, client: 16 * 2 ** 20 })
})
