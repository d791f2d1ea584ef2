// Coding agents and editors. They open the connection from the user's machine.
import type { ClientRow, Server } from './client.ts'
import { toBase64, toJson, toMcpServers, toQuery, toShell, toToml } from './quote.ts'
import { headerOption, TOKEN_VARIABLE, wantsToken } from './token.ts'

/** The `headers` of a file; `reference` is how this client reads a variable. */
const headers = (server: Server, reference: string) =>
  wantsToken(server) ? { headers: { Authorization: `Bearer ${reference}` } } : {}

const setToken = (server: Server): readonly string[] =>
  wantsToken(server) ? [`Set ${TOKEN_VARIABLE} to your token in the environment of the client.`] : []

const signIn = (server: Server, step: string): readonly string[] => (server.hasSignIn ? [step] : [])

export const claudeCode: ClientRow = {
  id: 'claude-code',
  title: 'Claude Code',
  needs: [],
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
    'A result is cut at 25,000 tokens; `MAX_MCP_OUTPUT_TOKENS` changes that.',
    'Tools are called `mcp__SERVER__TOOL`, and models take names of at most 64 characters.',
    'It opened sessions with `initialize` when last looked at (July 2026), not yet in 2026-07-28.',
  ],
  docs: 'https://code.claude.com/docs/en/mcp',
  connect: server => ({
    steps: [
      ...setToken(server),
      'Run the command, or commit the file to share the server with a project.',
      ...signIn(server, 'Start `claude`, enter /mcp, and choose “Authenticate”.'),
    ],
    snippets: [
      {
        title: 'By command',
        language: 'sh',
        text: `claude mcp add --transport http ${server.key} ${toShell(server.url)}${headerOption(server)}`,
      },
      {
        title: 'For a project',
        language: 'json',
        file: '.mcp.json',
        text: toMcpServers(server.key, {
          type: 'http',
          url: server.url,
          ...headers(server, `\${${TOKEN_VARIABLE}}`),
        }),
      },
    ],
  }),
}

export const cursor: ClientRow = {
  id: 'cursor',
  title: 'Cursor',
  needs: [],
  isRemote: false,
  features: {
    elicitation: 'yes',
    listChanges: 'unknown',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'Headers are ignored if the server answers OAuth discovery: Cursor signs in then.',
    'Users report that changed tools show only after a refresh in its settings.',
  ],
  docs: 'https://cursor.com/docs/mcp',
  connect(server) {
    const config = { url: server.url, ...headers(server, `\${env:${TOKEN_VARIABLE}}`) }
    return {
      steps: [
        ...setToken(server),
        'Open the link, or add the entry to .cursor/mcp.json (~/.cursor/mcp.json for all projects).',
        ...signIn(server, 'Press “Connect” beside the server in Settings → MCP, and sign in.'),
      ],
      snippets: [
        {
          title: 'The entry',
          language: 'json',
          file: '.cursor/mcp.json',
          text: toMcpServers(server.key, config),
        },
      ],
      deepLink: `cursor://anysphere.cursor-deeplink/mcp/install?${toQuery({
        name: server.key,
        config: toBase64(JSON.stringify(config)),
      })}`,
    }
  },
}

const VSCODE_INPUT = { type: 'promptString', id: 'toolrack-token', description: 'Token', password: true }

export const vsCode: ClientRow = {
  id: 'vscode',
  title: 'VS Code',
  needs: [],
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
    'A request to the model carries at most 128 tools, of all servers.',
    'Agents that run beside VS Code do not get servers whose file asks for input.',
    'Its tasks are those of 2025-11-25; its documents do not mention newer ones.',
  ],
  docs: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
  connect(server) {
    const config = { type: 'http', url: server.url, ...headers(server, `\${input:${VSCODE_INPUT.id}}`) }
    const inputs = wantsToken(server) ? { inputs: [VSCODE_INPUT] } : {}
    const install = JSON.stringify({ name: server.key, ...config, ...inputs })
    return {
      steps: [
        'Open the link, run the command, or add the entry to .vscode/mcp.json.',
        'Press “Start” above the entry, or start the server from the tools of a chat in agent mode.',
        ...(wantsToken(server) ? ['VS Code asks for the token, and keeps it.'] : []),
        ...signIn(server, 'VS Code opens a browser, in which you sign in.'),
      ],
      snippets: [
        {
          title: 'For a workspace',
          language: 'json',
          file: '.vscode/mcp.json',
          text: toJson({ ...inputs, servers: { [server.key]: config } }),
        },
        { title: 'By command', language: 'sh', text: `code --add-mcp ${toShell(install)}` },
      ],
      deepLink: `vscode:mcp/install?${encodeURIComponent(install)}`,
    }
  },
}

export const codex: ClientRow = {
  id: 'codex',
  title: 'Codex',
  needs: [],
  isRemote: false,
  features: {
    elicitation: 'yes',
    listChanges: 'no',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'no',
    signIn: 'yes',
  },
  limits: [
    'A server has 10 s to start and a call 60 s: `startup_timeout_sec` and `tool_timeout_sec` change that.',
    'A token is read from a variable only; `bearer_token` in the file is refused.',
    'Streamable HTTP only: HTTP+SSE is not supported.',
  ],
  docs: 'https://developers.openai.com/codex/mcp',
  connect(server) {
    const tokenOption = wantsToken(server) ? ` --bearer-token-env-var ${TOKEN_VARIABLE}` : ''
    const tokenKey = wantsToken(server) ? `\nbearer_token_env_var = ${toToml(TOKEN_VARIABLE)}` : ''
    return {
      steps: [
        ...setToken(server),
        'Run the command, or add the table to ~/.codex/config.toml (.codex/config.toml in a trusted project).',
        ...signIn(server, `Run \`codex mcp login ${server.key}\`, and sign in.`),
        'Codex in the terminal, in editors and in the desktop app read the same file.',
      ],
      snippets: [
        {
          title: 'By command',
          language: 'sh',
          text: `codex mcp add ${server.key} --url ${toShell(server.url)}${tokenOption}`,
        },
        {
          title: 'The table',
          language: 'toml',
          file: '~/.codex/config.toml',
          text: `[mcp_servers.${server.key}]\nurl = ${toToml(server.url)}${tokenKey}`,
        },
      ],
    }
  },
}

export const geminiCli: ClientRow = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  needs: [],
  isRemote: false,
  features: {
    elicitation: 'no',
    listChanges: 'yes',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'In its file, `httpUrl` is Streamable HTTP; `url` alone is HTTP+SSE.',
    'Names of tools longer than 63 characters are cut in the middle.',
    '`$schema` and `additionalProperties` are taken out of schemas. The server still checks them.',
    'Since June 2026 it works with API keys and company licences, no longer with personal accounts.',
  ],
  docs: 'https://geminicli.com/docs/tools/mcp-server/',
  connect: server => ({
    steps: [
      ...setToken(server),
      'Run the command, or add the entry to .gemini/settings.json (~/.gemini/settings.json for all projects).',
      ...signIn(server, `Start \`gemini\`, enter /mcp auth ${server.key}, and sign in.`),
    ],
    snippets: [
      {
        title: 'By command',
        language: 'sh',
        text: `gemini mcp add --transport http ${server.key} ${toShell(server.url)}${headerOption(server)}`,
      },
      {
        title: 'The entry',
        language: 'json',
        file: '.gemini/settings.json',
        text: toMcpServers(server.key, { httpUrl: server.url, ...headers(server, `$${TOKEN_VARIABLE}`) }),
      },
    ],
  }),
}
