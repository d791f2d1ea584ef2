// Strands under OpenTelemetry puts its trace into the arguments of a call, as `_meta` that no schema knows.
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import t from 'tap'
import { openShop } from './server.ts'
import { strands } from './strands.ts'

new NodeTracerProvider().register()

t.test('a call whose arguments carry a trace is served', async t => {
  const agent = await strands((await openShop(t)).url)
  t.teardown(() => agent.close())

  t.match(await agent.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
})
