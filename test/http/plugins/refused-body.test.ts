// A refused request whose body has been read is answered at once, whatever carries it.
import { mock } from 'node:test'
import t from 'tap'
import { build, request } from '../../support/app.ts'

t.test('a refused body that has been read whole is not waited for, in a request that is injected either', async t => {
  const app = await build(t)
  const { message, headers } = request('tools/list', { pad: 'x'.repeat(500_000) })
  await app.ready()
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())

  const reply = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...headers, 'content-type': 'text/plain' },
    payload: JSON.stringify(message),
  })

  t.match(reply, { statusCode: 415, headers: { connection: 'keep-alive' } })
})
