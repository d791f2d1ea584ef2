// completion/complete of what a template serves: named by the template, or by the URI of one of its resources.
// Spec 2026-07-28: server/utilities/completion, "Reference Types".
import t, { type Test } from 'tap'
import { defineResource } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { inject } from '../../support/client/transport.ts'
import { OLDER, openSession } from '../../support/security/sessions.ts'

interface Asked {
  readonly uri: string
  readonly name?: string
  readonly context?: Record<string, string>
}

async function shop(t: Test) {
  const seen: unknown[] = []
  const suggest = (value: string, others: Readonly<Record<string, string>>) => {
    seen.push(others)
    return [`${value}1`, `${value}2`]
  }
  const handler = () => 'x'
  const resources = [
    defineResource({ name: 'profiles', uriTemplate: 'users://{id}/profile', complete: { id: suggest }, handler }),
    defineResource({ name: 'files', uriTemplate: 'repo://{owner}/{+path}', complete: { path: suggest }, handler }),
    defineResource({ name: 'root', uri: 'users://0/profile', handler }),
  ]
  const app = await build(t, { resources })
  return { app, seen }
}

const paramsOf = ({ uri, name = 'id', context }: Asked) => ({
  ref: { type: 'ref/resource', uri },
  argument: { name, value: '4' },
  ...(context && { context: { arguments: context } }),
})

t.test('a URI that a template serves is completed as its template is', async t => {
  const { app } = await shop(t)

  for (const uri of ['users://{id}/profile', 'users://42/profile', 'users://a%20b/profile']) {
    const { result } = await call(app, 'completion/complete', paramsOf({ uri }))
    t.strictSame(result.completion, { values: ['41', '42'], total: 2, hasMore: false }, uri)
  }
})

for (const revision of OLDER) {
  t.test(`so it is in a session of ${revision}`, async t => {
    const { app } = await shop(t)
    const session = await openSession(app, revision)
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'completion/complete',
      params: paramsOf({ uri: 'users://42/profile' }),
    }

    t.match((await inject(app).send({ session, body })).message, { result: { completion: { values: ['41', '42'] } } })
  })
}

t.test('what its URI says of the other variables is known, and what the client says counts more', async t => {
  const { app, seen } = await shop(t)
  const uri = 'repo://alice/src/x%20y.ts'

  await call(app, 'completion/complete', paramsOf({ uri, name: 'path' }))
  await call(app, 'completion/complete', paramsOf({ uri, name: 'path', context: { owner: 'bob', branch: 'main' } }))
  await call(app, 'completion/complete', paramsOf({ uri: 'repo://{owner}/{+path}', name: 'path' }))

  t.strictSame(seen, [{ owner: 'alice' }, { owner: 'bob', branch: 'main' }, {}])
})

t.test('a fixed resource has no variables, also where a template would fit', async t => {
  const { app, seen } = await shop(t)

  const { result } = await call(app, 'completion/complete', paramsOf({ uri: 'users://0/profile' }))

  t.strictSame(result.completion.values, [])
  t.same(seen, [])
})

t.test('a variable that its template lacks is refused, and so is what no template serves', async t => {
  const { app } = await shop(t)

  const unknown = await call(app, 'completion/complete', paramsOf({ uri: 'users://42/profile', name: 'nope' }))
  t.match(unknown.error, { code: -32602, message: /nope is not a variable of users:\/\/42\/profile/ })
  for (const uri of ['users://42', 'users://{other}/profile', 'users://%zz/profile', 'users://a%2fb/profile', 'x'])
    t.match((await call(app, 'completion/complete', paramsOf({ uri }))).error, { code: -32602, data: { uri } }, uri)
})
