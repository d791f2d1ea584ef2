import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineTool } from 'toolrack'
import { testTools } from 'toolrack/testing'

const waitForever = defineTool({
  name: 'wait_forever',
  timeout: 60_000,
  handler: (_args, { signal }) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
})

test('the call ends at its timeout', async () => {
  const tools = await testTools(waitForever, { clock: 'fake' })

  const call = tools.call('wait_forever')
  await tools.clock.advance(60_000)

  assert.equal((await call).text, 'wait_forever timed out after 60000 ms')
  await tools.close()
})
