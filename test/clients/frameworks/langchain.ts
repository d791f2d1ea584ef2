// LangChain, with its adapters for MCP.
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { createAgent } from 'langchain'
import { bearer, type Connect } from './agent.ts'

export const langchain: Connect = async (url, token) => {
  const client = new MultiServerMCPClient({ mcpServers: { shop: { transport: 'http', url, headers: bearer(token) } } })
  const tools = await client.getTools()
  return {
    listTools: async () => tools.map(tool => tool.name),
    async callTool(name, args) {
      const model = fakeModel()
        .respondWithTools([{ name, args, id: 'call-1' }])
        .respond(new AIMessage('done'))
      const { messages } = await createAgent({ model, tools }).invoke({ messages: [{ role: 'user', content: 'go' }] })
      return JSON.stringify(messages.find(message => message.type === 'tool')?.content)
    },
    close: () => client.close(),
  }
}
