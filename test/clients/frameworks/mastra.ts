// Mastra. It names tools by their server: shop_get_price.
import { Agent } from '@mastra/core/agent'
import { MCPClient } from '@mastra/mcp'
import { bearer, type Connect } from './agent.ts'
import { lastMessage, scriptedModel } from './scripted-model.ts'

export const mastra: Connect = async (url, token) => {
  const shop = { url: new URL(url), requestInit: { headers: bearer(token) } }
  const client = new MCPClient({ id: `${url} ${token}`, servers: { shop } })
  return {
    listTools: async () => Object.keys(await client.listTools()).map(name => name.replace('shop_', '')),
    async callTool(name, args) {
      const model = scriptedModel(`shop_${name}`, args)
      const tools = await client.listTools()
      await new Agent({ id: 'buyer', name: 'buyer', instructions: 'buy', model, tools }).generate('go')
      return lastMessage(model)
    },
    close: () => client.disconnect(),
  }
}
