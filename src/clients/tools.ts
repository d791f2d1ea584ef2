// The Inspector, and mcp-remote, the bridge for clients that can only start programs.
import { bridgeConfig, TOKEN_STEP } from './chat-apps.ts'
import type { ClientRow } from './client.ts'
import { toJson, toShell } from './quote.ts'
import { headerOption, TOKEN_VARIABLE, wantsToken } from './token.ts'

export const inspector: ClientRow = {
  id: 'inspector',
  title: 'MCP Inspector',
  needs: ['Node 22.7 or later'],
  isRemote: false,
  features: {
    elicitation: 'yes',
    listChanges: 'yes',
    tasks: 'yes',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'It is for tests by hand, not for agents. Toolrack’s own console is at /console.',
    'Its command makes one request and ends, so it shows no list changes.',
  ],
  docs: 'https://modelcontextprotocol.io/docs/tools/inspector',
  connect: server => ({
    steps: [
      ...(wantsToken(server) ? [`Set ${TOKEN_VARIABLE} to your token.`] : []),
      'Run the first command; it opens a browser. The second prints the tools and ends.',
    ],
    snippets: [
      {
        title: 'In the browser',
        language: 'sh',
        text: `npx @modelcontextprotocol/inspector --transport http --server-url ${toShell(server.url)}${headerOption(server)}`,
      },
      {
        title: 'In the terminal',
        language: 'sh',
        text:
          `npx @modelcontextprotocol/inspector --cli ${toShell(server.url)} --transport http` +
          ` --method tools/list${headerOption(server)}`,
      },
    ],
  }),
}

export const mcpRemote: ClientRow = {
  id: 'mcp-remote',
  title: 'mcp-remote',
  needs: ['Node'],
  isRemote: false,
  features: {
    elicitation: 'yes',
    listChanges: 'yes',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'It hands everything on, so what works depends on the client that starts it.',
    'For clients that start programs and know no URL. Use the URL where a client takes one.',
  ],
  docs: 'https://github.com/geelen/mcp-remote',
  connect: server => ({
    steps: [
      'Add the entry to the file of the client. Most have a file with `mcpServers`.',
      ...(wantsToken(server) ? [TOKEN_STEP] : []),
      ...(server.hasSignIn ? ['Sign in, in the browser that mcp-remote opens.'] : []),
    ],
    snippets: [
      {
        title: 'The entry',
        language: 'json',
        file: 'mcp.json',
        text: toJson({ mcpServers: { [server.key]: bridgeConfig(server) } }),
      },
    ],
  }),
}
