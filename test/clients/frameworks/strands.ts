// Strands Agents, whose models may be those of the AI SDK.
import { Agent, McpClient } from '@strands-agents/sdk'
import { VercelModel } from '@strands-agents/sdk/models/vercel'
import { bearer, type Connect } from './agent.ts'
import { lastMessage, scriptedModel } from './scripted-model.ts'

export const strands: Connect = async (url, token) => {
  const client = new McpClient({ url, headers: bearer(token) })
  await client.connect()
  return {
    listTools: async () => (await client.listTools()).map(tool => tool.name),
    async callTool(name, args) {
      const provider = scriptedModel(name, args)
      await new Agent({ model: new VercelModel({ provider }), tools: [client], printer: false }).invoke('go')
      return lastMessage(provider)
    },
    close: () => client.disconnect(),
  }
}
