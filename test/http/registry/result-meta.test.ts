import t from 'tap'
import { definePrompt, defineTool } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { session } from '../../support/client/app-client.ts'

for (const key of ['bad key', 'io.modelcontextprotocol/evil', 'dev.mcp/a']) {
  t.test(`result: metadata by ${key} is an invalid result`, async t => {
    const odd = defineTool({ name: 'odd', handler: () => ({ content: [], _meta: { [key]: 1 } }) })
    const prompt = definePrompt({ name: 'p', handler: () => ({ messages: [], _meta: { [key]: 1 } }) })
    const client = await session(t, { tools: [odd], prompts: [prompt] })
    const failed = { isError: true, content: [{ type: 'text', text: /_meta\[/ }] }

    t.match((await call(client.app, 'tools/call', { name: 'odd' })).result, failed)
    t.match((await client.callTool('odd')).result, failed)
    const fault = { code: -32603, message: /_meta\[/ }
    t.match((await call(client.app, 'prompts/get', { name: 'p' })).error, fault)
    t.match((await client.call('prompts/get', { name: 'p' })).error, fault)
  })
}
