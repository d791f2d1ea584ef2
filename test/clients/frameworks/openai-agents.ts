// The Agents SDK of OpenAI.
import {
  Agent,
  MCPServerStreamableHttp,
  type Model,
  type ModelRequest,
  run,
  setTracingDisabled,
  Usage,
} from '@openai/agents'
import { bearer, type Connect } from './agent.ts'

setTracingDisabled(true)

class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = []
  readonly #name: string
  readonly #args: string

  constructor(name: string, args: Record<string, unknown>) {
    this.#name = name
    this.#args = JSON.stringify(args)
  }

  async getResponse(request: ModelRequest): ReturnType<Model['getResponse']> {
    this.requests.push(request)
    const usage = new Usage()
    const status = 'completed' as const
    if (this.requests.length === 1) {
      const call = { type: 'function_call' as const, callId: 'call-1', name: this.#name, arguments: this.#args, status }
      return { usage, output: [call] }
    }
    const content = [{ type: 'output_text' as const, text: 'done' }]
    return { usage, output: [{ type: 'message', role: 'assistant', status, content }] }
  }

  getStreamedResponse(): never {
    throw new Error('the runs of these tests do not stream')
  }
}

export const openaiAgents: Connect = async (url, token) => {
  const server = new MCPServerStreamableHttp({ url, name: 'shop', requestInit: { headers: bearer(token) } })
  await server.connect()
  return {
    listTools: async () => (await server.listTools()).map(tool => tool.name),
    async callTool(name, args) {
      const model = new ScriptedModel(name, args)
      await run(new Agent({ name: 'buyer', model, mcpServers: [server] }), 'go')
      const input = model.requests.at(-1)!.input
      return JSON.stringify(typeof input === 'string' ? input : input.at(-1))
    },
    close: () => server.close(),
  }
}
