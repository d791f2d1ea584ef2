// The Inspector, and mcp-remote, the bridge for clients that can only start programs.
import type { ClientRow, Server, Snippet } from './client.ts'
import { toCommandLine } from './program.ts'
import { toMcpServers, toShell } from './quote.ts'
import { say, signIn } from './steps.ts'
import { headerOption, placeToken, setShellToken, TOKEN_PLACE, wantsToken } from './token.ts'

const INSPECTOR = 'npx @modelcontextprotocol/inspector'

export const inspector: ClientRow = {
  id: 'inspector',
  title: 'MCP Inspector',
  group: 'editors',
  way: 'By npx, for tests by hand',
  needs: ['Node 22.19 or later'],
  features: {
    elicitation: 'yes',
    listChanges: 'yes',
    tasks: 'yes',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'Its command makes one request and ends, so it shows no list changes.',
    'In direct mode its page calls: an open server asks for `ALLOWED_ORIGINS=http://localhost:6274` for tools that change something.',
  ],
  docs: 'https://modelcontextprotocol.io/docs/tools/inspector',
  seen: { day: '2026-11-28' },
  program(_key, program) {
    const command = toCommandLine(program)
    return [
      { title: 'Open it in the browser', snippet: { language: 'sh', text: `${INSPECTOR} ${command}` } },
      {
        title: 'Or list the tools in the terminal',
        snippet: { language: 'sh', text: `${INSPECTOR} --cli ${command} --method tools/list` },
      },
    ]
  },
  connect(server) {
    const token = headerOption(server)
    return {
      steps: [
        {
          title: 'Open it in the browser',
          ...setShellToken(server),
          snippet: {
            language: 'sh',
            text: `${INSPECTOR} --transport http --server-url ${toShell(server.url)}${token}`,
          },
        },
        {
          title: 'Or list the tools in the terminal',
          snippet: {
            language: 'sh',
            text: `${INSPECTOR} --cli ${toShell(server.url)} --transport http --method tools/list${token}`,
          },
        },
      ],
    }
  },
}

/** The entry of a client that only starts programs: it starts mcp-remote, which speaks HTTP. */
export const createBridgeSnippet = (server: Server, file: string): Snippet => ({
  language: 'json',
  file,
  text: toMcpServers(server.key, createBridgeEntry(server)),
})

export function createBridgeEntry(server: Server) {
  const { url, isHttps } = server
  const args = ['-y', 'mcp-remote', url, '--transport', 'http-only']
  if (!isHttps) args.push('--allow-http')
  if (!wantsToken(server)) return { command: 'npx', args }
  // A space within an argument is lost on Windows, so the value with the space is a variable.
  args.push('--header', 'Authorization:$' + '{AUTH_HEADER}')
  return { command: 'npx', args, env: { AUTH_HEADER: `Bearer ${TOKEN_PLACE}` } }
}

export const mcpRemote: ClientRow = {
  id: 'mcp-remote',
  title: 'mcp-remote',
  group: 'chat-apps',
  way: 'For apps that start programs',
  needs: ['Node'],
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
    'It is for clients that start programs and take no URL.',
  ],
  docs: 'https://github.com/geelen/mcp-remote',
  seen: { day: '2026-11-24' },
  connect: server => ({
    steps: [
      {
        title: 'Write it into a file',
        ...say('Most clients have a file with `mcpServers`.', placeToken(server)),
        snippet: createBridgeSnippet(server, 'mcp.json'),
      },
      ...signIn(server, 'mcp-remote opens a browser, in which you sign in.'),
    ],
  }),
}
