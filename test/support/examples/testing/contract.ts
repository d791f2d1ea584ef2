import { test } from 'node:test'
import { expectContract, testTools } from 'toolrack/testing'

test('the tools keep what callers rely on', async () => {
  const tools = await testTools('./tools')
  await expectContract(tools, 'tools.contract.json')
  await tools.close()
})
