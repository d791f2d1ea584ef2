// APIs: plain HTTP by curl, and models that call the tools themselves, from their vendors' machines.
import type { ClientRow, Server } from './client.ts'
import { createToolCurl, tokenHeader } from './curl.ts'
import { toShell, toTs } from './quote.ts'
import { install, say } from './steps.ts'
import { SHELL_TOKEN, TOKEN_VARIABLE, tokenProperty } from './token.ts'

const setKeys = ({ needsToken }: Server, key: string) =>
  say(
    `Set \`${key}\` to your key of the API.`,
    needsToken && `Set \`${TOKEN_VARIABLE}\` to a token for this server. Get it and renew it yourself.`,
  )

const TOOLS_ONLY_LIMIT = 'Tools only: no questions to the user, resources or prompts.'

const TOOLS_ONLY = {
  elicitation: 'no',
  listChanges: 'no',
  tasks: 'no',
  resources: 'no',
  prompts: 'no',
  signIn: 'no',
} as const

export const anthropicApi: ClientRow = {
  id: 'anthropic-api',
  title: 'Anthropic Messages',
  group: 'apis',
  way: 'TypeScript',
  needs: ['a public HTTPS URL'],
  vendor: 'Anthropic',
  features: TOOLS_ONLY,
  limits: [TOOLS_ONLY_LIMIT, 'Each request lists the tools anew, so changes show at once.'],
  docs: 'https://platform.claude.com/docs/en/agents-and-tools/mcp-connector',
  seen: { day: '2026-11-24' },
  connect: server => ({
    steps: [
      install('@anthropic-ai/sdk'),
      {
        title: 'Send a request',
        ...setKeys(server, 'ANTHROPIC_API_KEY'),
        snippet: {
          language: 'ts',
          file: 'ask.ts',
          text: `import Anthropic from '@anthropic-ai/sdk'

const anthropic = new Anthropic()
const message = await anthropic.beta.messages.create({
  model: 'claude-sonnet-5',
  max_tokens: 1024,
  betas: ['mcp-client-2025-11-20'],
  mcp_servers: [
    {
      type: 'url',
      name: ${toTs(server.key)},
      url: ${toTs(server.url)},${tokenProperty(server, `      authorization_token: process.env.${TOKEN_VARIABLE}`)}
    },
  ],
  tools: [{ type: 'mcp_toolset', mcp_server_name: ${toTs(server.key)} }],
  messages: [{ role: 'user', content: 'What can you do with your tools?' }],
})
console.log(message.content)`,
        },
      },
    ],
  }),
}

export const openaiResponses: ClientRow = {
  id: 'openai-responses',
  title: 'OpenAI Responses',
  group: 'apis',
  way: 'TypeScript',
  needs: ['a public HTTPS URL'],
  vendor: 'OpenAI',
  features: TOOLS_ONLY,
  limits: [
    TOOLS_ONLY_LIMIT,
    'OpenAI’s Secure MCP Tunnel reaches a private server: `tunnel_id` in place of `server_url`.',
    'Each call has to be approved in a further request (`require_approval`).',
  ],
  docs: 'https://developers.openai.com/api/docs/guides/tools-remote-mcp',
  seen: { day: '2026-11-24' },
  connect: server => ({
    steps: [
      install('openai'),
      {
        title: 'Send a request',
        ...setKeys(server, 'OPENAI_API_KEY'),
        snippet: {
          language: 'ts',
          file: 'ask.ts',
          text: `import OpenAI from 'openai'

const openai = new OpenAI()
const response = await openai.responses.create({
  model: 'gpt-5.5',
  tools: [
    {
      type: 'mcp',
      server_label: ${toTs(server.key)},
      server_url: ${toTs(server.url)},${tokenProperty(server, `      authorization: process.env.${TOKEN_VARIABLE}`)}
      require_approval: 'never',
    },
  ],
  input: 'What can you do with your tools?',
})
console.log(response.output_text)`,
        },
      },
    ],
  }),
}

/** The tool of the examples if the reader sees none. */
const A_TOOL = { name: 'NAME' }

export const curl: ClientRow = {
  id: 'curl',
  title: 'curl',
  group: 'apis',
  way: 'Plain HTTP',
  needs: [],
  needsPlainHttp: true,
  features: { ...TOOLS_ONLY, elicitation: 'yes', tasks: 'yes' },
  limits: [
    'A tool that asks the user answers with its questions. Send the call again with the answers.',
    'The values of a form become numbers and booleans where the schema wants them; `--json` sends JSON.',
  ],
  docs: 'https://curl.se/docs/manpage.html',
  seen: { day: '2026-11-24', revision: 'none: plain HTTP' },
  connect({ plainHttp, exampleTool = A_TOOL, needsToken }) {
    const line = createToolCurl(plainHttp.url, exampleTool, needsToken)
    const text = `curl ${toShell(plainHttp.url)}${tokenHeader(needsToken)}`
    return {
      line,
      steps: [
        {
          title: 'Call a tool',
          ...say(needsToken && `Before, set \`${SHELL_TOKEN}\` to your token in the shell.`),
          snippet: { language: 'sh', text: line },
        },
        {
          title: 'See all tools',
          text: '`openapi.json` beside it describes them for generators.',
          snippet: { language: 'sh', text },
        },
      ],
    }
  },
}
