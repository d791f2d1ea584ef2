// The AI SDK of Vercel.
import { createMCPClient } from '@ai-sdk/mcp'
import { generateText, isStepCount } from 'ai'
import { bearer, type Connect } from './agent.ts'
import { lastMessage, scriptedModel } from './scripted-model.ts'

export const aiSdk: Connect = async (url, token) => {
  const client = await createMCPClient({ transport: { type: 'http', url, headers: bearer(token) } })
  return {
    listTools: async () => Object.keys(await client.tools()),
    async callTool(name, args) {
      const model = scriptedModel(name, args)
      await generateText({ model, prompt: 'go', tools: await client.tools(), stopWhen: isStepCount(2) })
      return lastMessage(model)
    },
    close: () => client.close(),
  }
}
