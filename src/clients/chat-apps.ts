// Chat applications. Their vendors' machines open the connection, so they need a public URL; only
// Claude Desktop opens it from the user's machine.
import type { ClientRow } from './client.ts'
import { createBridgeSnippet, setBridgeToken } from './developer-tools.ts'

const CLAUDE_BOUNDS = 'A result is cut at about 150,000 characters, and a call ends after 300 s.'
const NO_TOKEN_FIELD = 'It has no field for a token or a header: the server is open, or clients sign in by OAuth.'

export const claudeAi: ClientRow = {
  id: 'claude',
  title: 'Claude.ai connectors',
  needs: ['a public HTTPS URL'],
  isRemote: true,
  isSignInOnly: true,
  features: {
    elicitation: 'unknown',
    listChanges: 'unknown',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'Anthropic’s machines open the connection. A firewall has to let them in.',
    CLAUDE_BOUNDS,
    'Resource subscriptions and sampling are not supported.',
    NO_TOKEN_FIELD,
    'A free plan has one custom connector. In a team, an owner adds it first.',
  ],
  docs: 'https://support.claude.com/en/articles/11175166-getting-started-with-custom-connectors-using-remote-mcp',
  connect: ({ url, key }) => ({
    steps: [
      'Open https://claude.ai/customize/connectors and press +, then “Add custom connector”.',
      `Enter the name ${key} and the URL ${url}`,
      'Press “Add”, then “Connect”, and sign in if the server asks for it.',
      'In a chat, turn the connector on under + → Connectors.',
    ],
    snippets: [],
  }),
}

export const claudeDesktop: ClientRow = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  needs: ['Node, for mcp-remote'],
  isRemote: false,
  features: {
    elicitation: 'unknown',
    listChanges: 'unknown',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'Its file starts programs only: a “url” in it is not read. mcp-remote is the program that speaks HTTP.',
    'A public server is added under Settings → Connectors instead, as in Claude.ai.',
    CLAUDE_BOUNDS,
    'Sampling is not supported.',
  ],
  docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  connect: server => ({
    steps: [
      'Open Settings → Developer → Edit Config, and add the entry to claude_desktop_config.json.',
      ...setBridgeToken(server),
      'Quit Claude Desktop and start it again.',
    ],
    snippets: [createBridgeSnippet(server, 'claude_desktop_config.json')],
  }),
}

export const chatGpt: ClientRow = {
  id: 'chatgpt',
  title: 'ChatGPT',
  needs: ['a public HTTPS URL', 'developer mode'],
  isRemote: true,
  isSignInOnly: true,
  features: {
    elicitation: 'yes',
    listChanges: 'no',
    tasks: 'unknown',
    resources: 'no',
    prompts: 'unknown',
    signIn: 'yes',
  },
  limits: [
    'OpenAI’s machines open the connection. A private server needs a tunnel.',
    NO_TOKEN_FIELD,
    'Changed tools show after “Refresh” in the settings of the connector.',
    'Resources are read only for user interfaces of apps.',
    'What is possible, and the names of the menus, depend on the plan and change often.',
  ],
  docs: 'https://developers.openai.com/plugins/build/mcp-server',
  connect: ({ url, key, needsToken }) => ({
    steps: [
      'Open Settings → Apps → Advanced settings and turn on “Developer mode”.',
      'Open https://chatgpt.com/plugins, press +, and choose “Add custom MCP server”.',
      `Enter the name ${key} and the URL ${url}`,
      `As authentication choose ${needsToken ? 'OAuth, and sign in' : '“No authentication”'}.`,
      'In a chat, choose the connector under +.',
    ],
    snippets: [],
  }),
}
