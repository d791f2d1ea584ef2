// Frameworks for agents. They open the connection from the program that uses them.
import type { ClientRow, Server } from './client.ts'
import { toTs } from './quote.ts'
import { install, say } from './steps.ts'
import { TOKEN_VARIABLE, tokenProperty } from './token.ts'

const setToken = ({ needsToken }: Server): string | false =>
  needsToken && `Set \`${TOKEN_VARIABLE}\` to a token for this server.`

const HEADERS = `headers: { Authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\` }`

export const openaiAgents: ClientRow = {
  id: 'openai-agents',
  title: 'OpenAI Agents SDK',
  group: 'frameworks',
  way: 'TypeScript',
  needs: ['Node'],
  features: {
    elicitation: 'no',
    listChanges: 'no',
    tasks: 'unknown',
    resources: 'no',
    prompts: 'unknown',
    signIn: 'yes',
  },
  limits: [
    'The tools are listed anew for each run, unless `cacheToolsList` is set.',
    'A tool that asks the user fails, and the model sees only that an error occurred.',
    'Errors of the protocol are not shown to the model.',
  ],
  docs: 'https://openai.github.io/openai-agents-js/guides/mcp/',
  seen: { day: '2026-11-24' },
  connect: server => ({
    steps: [
      install('@openai/agents'),
      {
        title: 'Use the tools',
        ...say('Set `OPENAI_API_KEY` to your key of the API.', setToken(server)),
        snippet: {
          language: 'ts',
          file: 'agent.ts',
          text: `import { Agent, MCPServerStreamableHttp, run } from '@openai/agents'

const server = new MCPServerStreamableHttp({
  name: ${toTs(server.key)},
  url: ${toTs(server.url)},${tokenProperty(server, `  requestInit: { ${HEADERS} }`)}
})
await server.connect()
const agent = new Agent({ name: 'Assistant', model: 'gpt-5.5', mcpServers: [server] })
const { finalOutput } = await run(agent, 'What can you do with your tools?')
console.log(finalOutput)
await server.close()`,
        },
      },
    ],
  }),
}

export const aiSdk: ClientRow = {
  id: 'ai-sdk',
  title: 'AI SDK',
  group: 'frameworks',
  way: 'TypeScript',
  needs: ['Node'],
  features: {
    elicitation: 'yes',
    listChanges: 'no',
    tasks: 'no',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'Questions to the user work if the client has the capability and a handler for them.',
    'It takes no notifications: call `client.tools()` again to see changed tools.',
  ],
  docs: 'https://ai-sdk.dev/docs/ai-sdk-core/mcp-tools',
  seen: { day: '2026-11-24' },
  connect: server => ({
    steps: [
      install('ai', '@ai-sdk/mcp'),
      {
        title: 'Use the tools',
        ...say('Set `AI_GATEWAY_API_KEY`, or pass another model.', setToken(server)),
        snippet: {
          language: 'ts',
          file: 'agent.ts',
          text: `import { createMCPClient } from '@ai-sdk/mcp'
import { generateText, isStepCount } from 'ai'

const client = await createMCPClient({
  transport: {
    type: 'http',
    url: ${toTs(server.url)},${tokenProperty(server, `    ${HEADERS}`)}
  },
})
const { text } = await generateText({
  model: 'openai/gpt-5.5',
  tools: await client.tools(),
  stopWhen: isStepCount(10),
  prompt: 'What can you do with your tools?',
})
console.log(text)
await client.close()`,
        },
      },
    ],
  }),
}

export const langchain: ClientRow = {
  id: 'langchain',
  title: 'LangChain',
  group: 'frameworks',
  way: 'TypeScript',
  needs: ['Node'],
  features: {
    elicitation: 'no',
    listChanges: 'yes',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'unknown',
    signIn: 'yes',
  },
  limits: [
    'It never begins anew: set `STATE_SECRET`, so that its session outlives a restart of the server.',
    'A tool that asks the user fails, with a text that the model can read.',
    '`onToolsListChanged` reports changes; call `getTools()` again to see the changed tools.',
  ],
  docs: 'https://docs.langchain.com/oss/javascript/langchain/mcp',
  seen: { day: '2026-11-24' },
  connect: server => ({
    steps: [
      install('langchain', '@langchain/mcp-adapters', '@langchain/openai'),
      {
        title: 'Use the tools',
        ...say('Set `OPENAI_API_KEY` to your key of the API, or name another model.', setToken(server)),
        snippet: {
          language: 'ts',
          file: 'agent.ts',
          text: `import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { createAgent } from 'langchain'

const client = new MultiServerMCPClient({
  mcpServers: {
    ${toTs(server.key)}: {
      transport: 'http',
      url: ${toTs(server.url)},${tokenProperty(server, `      ${HEADERS}`)}
    },
  },
})
const agent = createAgent({ model: 'openai:gpt-5.5', tools: await client.getTools() })
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: 'What can you do with your tools?' }],
})
console.log(messages.at(-1)?.text)
await client.close()`,
        },
      },
    ],
  }),
}
