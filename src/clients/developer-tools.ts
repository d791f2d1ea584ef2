// The Inspector, and mcp-remote, the bridge for clients that can only start programs.
import type { ClientRow, Server, Snippet } from './client.ts'
import { toMcpServers, toShell } from './quote.ts'
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

/** The entry of a client that only starts programs: it starts mcp-remote, which speaks HTTP. */
export const createBridgeSnippet = (server: Server, file: string): Snippet => ({
  title: 'The entry',
  language: 'json',
  file,
  text: toMcpServers(server.key, createBridgeEntry(server)),
})

function createBridgeEntry(server: Server) {
  const { url, isHttps } = server
  const args = ['-y', 'mcp-remote', url, '--transport', 'http-only']
  if (!isHttps) args.push('--allow-http')
  if (!wantsToken(server)) return { command: 'npx', args }
  // A space within an argument is lost on Windows, so the value with the space is a variable.
  args.push('--header', 'Authorization:$' + '{AUTH_HEADER}')
  return { command: 'npx', args, env: { AUTH_HEADER: `Bearer <${TOKEN_VARIABLE}>` } }
}

/** Such a file cannot read the environment, so the user writes the token into it. */
export const setBridgeToken = (server: Server): readonly string[] =>
  wantsToken(server) ? [`Put your token in place of <${TOKEN_VARIABLE}>.`] : []

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
      ...setBridgeToken(server),
      ...(server.hasSignIn ? ['Sign in, in the browser that mcp-remote opens.'] : []),
    ],
    snippets: [createBridgeSnippet(server, 'mcp.json')],
  }),
}
