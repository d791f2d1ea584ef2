// resources/read: what a handler may return, and what its client is told.
import t from 'tap'
import { defineResource, type ResourceDefinition } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'

const read = async (t: Parameters<typeof build>[0], handler: ResourceDefinition['handler'], options: object = {}) => {
  const resources = [defineResource({ name: 'notes', uriTemplate: 'notes://{id}', handler })]
  return call(await build(t, { resources, ...options }), 'resources/read', { uri: 'notes://7' })
}

t.test('resources/read: a handler that returns nothing says that there is no such resource', async t => {
  const { status, error } = await read(t, async () => undefined)

  t.equal(status, 200)
  t.match(error, { code: -32602, data: { uri: 'notes://7' } })
})

t.test('resources/read: null is no resource, but a fault of its handler', async t => {
  t.match((await read(t, () => null as never)).error, { code: -32603, message: /neither text, bytes nor contents/ })
})

t.test('resources/read: the bound of a result counts what its JSON takes', async t => {
  const limits = { limits: { maxResultBytes: 10_000 } }

  t.match((await read(t, () => 'a'.repeat(9000), limits)).result, { contents: [{ text: /^a+$/ }] })
  t.match((await read(t, () => '"'.repeat(9000), limits)).error, { code: -32603, message: /larger than 10000 bytes/ })
})
