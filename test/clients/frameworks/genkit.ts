// Genkit, with its plugin for MCP. It names tools by their server: shop/get_price.
import { createMcpHost } from '@genkit-ai/mcp'
import { genkit as createGenkit } from 'genkit'
import { bearer, type Connect } from './agent.ts'

export const genkit: Connect = async (url, token) => {
  const ai = createGenkit({})
  const host = createMcpHost({ name: 'host', mcpServers: { shop: { url, requestInit: { headers: bearer(token) } } } })
  let models = 0
  return {
    listTools: async () => (await host.getActiveTools(ai)).map(tool => tool.__action.name.replace('shop/', '')),
    async callTool(name, args) {
      let told: unknown
      const model = ai.defineModel(
        { name: `scripted-${++models}`, supports: { tools: true } },
        async ({ messages }) => {
          const last = messages.at(-1)!
          if (last.role !== 'tool') return answer({ toolRequest: { name, input: args } })
          told = last.content
          return answer({ text: 'done' })
        },
      )
      await ai.generate({ model, prompt: 'go', tools: await host.getActiveTools(ai) })
      return JSON.stringify(told)
    },
    close: () => host.close(),
  }
}

const answer = <Part>(part: Part) => ({
  message: { role: 'model' as const, content: [part] },
  finishReason: 'stop' as const,
})
