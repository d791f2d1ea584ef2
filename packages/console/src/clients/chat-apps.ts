// Chat applications. Machines of their vendors open the connection, so they need a public URL. Only
// Claude Desktop opens it from the user's machine.
import { type ClientRow, type FileRow, UNKNOWN_FEATURES } from './client.ts'
import { createBridgeEntry } from './developer-tools.ts'
import { toSnippet } from './file.ts'
import { createProgramEntry } from './program.ts'
import { say } from './steps.ts'
import { placeToken } from './token.ts'

const CLAUDE_BOUNDS = 'A result is cut at about 150,000 characters, and a call ends after 300 s.'
const NO_TOKEN_FIELD = 'It has no field for a token or a header: the server is open, or clients sign in by OAuth.'

export const claudeAi: ClientRow = {
  id: 'claude',
  title: 'Claude.ai',
  group: 'chat-apps',
  way: 'As a connector',
  needs: ['a public HTTPS URL'],
  vendor: 'Anthropic',
  isSignInOnly: true,
  features: { ...UNKNOWN_FEATURES, resources: 'yes', prompts: 'yes', signIn: 'yes' },
  limits: [
    'Anthropic’s machines open the connection. A firewall has to let them in.',
    CLAUDE_BOUNDS,
    NO_TOKEN_FIELD,
    'A free plan has one custom connector. In a team, an owner adds it first.',
  ],
  docs: 'https://support.claude.com/en/articles/11175166-getting-started-with-custom-connectors-using-remote-mcp',
  seen: { day: '2026-11-24' },
  connect: ({ url, key, needsToken }) => ({
    steps: [
      {
        title: 'Add the connector',
        text:
          'Open https://claude.ai/customize/connectors, press +, then “Add custom connector”. ' +
          `Enter the name \`${key}\` and the URL \`${url}\`.`,
      },
      { title: 'Connect it', text: `Press “Add”, then “Connect”${needsToken ? ', and sign in' : ''}.` },
      { title: 'Use it', text: 'In a chat, turn the connector on under + → Connectors.' },
    ],
  }),
}

const claudeDesktopFile: FileRow = {
  format: 'json',
  path: {
    linux: '~/.config/Claude/claude_desktop_config.json',
    darwin: '~/Library/Application Support/Claude/claude_desktop_config.json',
    // A packaged app since February 2026: Windows gives it a folder of its own.
    win32: [
      '%LOCALAPPDATA%/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json',
      '%APPDATA%/Claude/claude_desktop_config.json',
    ],
  },
  servers: 'mcpServers',
  entry: createBridgeEntry,
  program: createProgramEntry,
  note: placeToken,
  restart: { title: 'Start Claude again', text: 'Quit it from its menu: closing the window is not enough.' },
}

export const claudeDesktop: ClientRow = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  group: 'chat-apps',
  way: 'By mcp-remote, needs Node',
  needs: ['Node, for mcp-remote'],
  features: { ...UNKNOWN_FEATURES, resources: 'yes', prompts: 'yes', signIn: 'yes' },
  limits: [
    'Its file starts programs only: a “url” in it is not read.',
    'A public server is added under Settings → Connectors instead, as in Claude.ai.',
    CLAUDE_BOUNDS,
    'On Windows “Edit Config” may open another file than the one that Claude reads; `--write` writes the latter.',
  ],
  docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  seen: { day: '2026-11-28', sources: ['https://github.com/anthropics/claude-code/issues/26073'] },
  file: claudeDesktopFile,
  connect: server => ({
    steps: [
      {
        title: 'Write it into a file',
        ...say('Settings → Developer → Edit Config opens it. Node has to be installed.', placeToken(server)),
        snippet: toSnippet(claudeDesktopFile, server),
      },
      claudeDesktopFile.restart!,
    ],
  }),
}

export const chatGpt: ClientRow = {
  id: 'chatgpt',
  title: 'ChatGPT',
  group: 'chat-apps',
  way: 'As an app, in developer mode',
  needs: ['a public HTTPS URL', 'developer mode'],
  vendor: 'OpenAI',
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
  ],
  docs: 'https://developers.openai.com/plugins/build/mcp-server',
  seen: { day: '2026-11-27', sources: ['https://www.developersdigest.tech/mcp-servers/clients/chatgpt'] },
  connect: ({ url, key, needsToken }) => ({
    steps: [
      { title: 'Turn developer mode on', text: 'Settings → Apps → Advanced settings has “Developer mode”.' },
      {
        title: 'Add the app',
        text:
          'Open https://chatgpt.com/plugins, press +, and choose “Add custom MCP server”. ' +
          `Enter the name \`${key}\` and the URL \`${url}\`. ` +
          `As authentication choose ${needsToken ? 'OAuth, and sign in' : '“No authentication”'}.`,
      },
      { title: 'Use it', text: 'In a chat, choose the connector under +.' },
    ],
  }),
}
