// Coding agents and editors. They open the connection from the user's machine.
import type { ClientRow, FileRow, Program } from './client.ts'
import { toSnippet } from './file.ts'
import { createProgramEntry } from './program.ts'
import { toBase64, toQuery, toShell } from './quote.ts'
import { say, setToken, signIn } from './steps.ts'
import { headerOption, setShellToken, TOKEN_VARIABLE, tokenHeaders, wantsToken } from './token.ts'

/** As the documents of Claude Code, Cursor and VS Code have it. */
const createTypedEntry = (program: Program): object => ({ type: 'stdio', ...createProgramEntry(program) })

const claudeCodeFile: FileRow = {
  format: 'json',
  path: '.mcp.json',
  servers: 'mcpServers',
  entry: server => ({ type: 'http', url: server.url, ...tokenHeaders(server, `\${${TOKEN_VARIABLE}}`) }),
  program: createTypedEntry,
  programLine: (key, command) => `claude mcp add ${key} -- ${command}`,
  note: server => setToken(server, 'Claude Code'),
}

export const claudeCode: ClientRow = {
  id: 'claude-code',
  title: 'Claude Code',
  group: 'editors',
  way: 'One command',
  needs: [],
  features: {
    elicitation: 'yes',
    listChanges: 'yes',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'yes',
    signIn: 'yes',
  },
  limits: [
    'A result is cut at 25,000 tokens (`MAX_MCP_OUTPUT_TOKENS`).',
    'Tools are called `mcp__SERVER__TOOL`, and models take names of at most 64 characters.',
    'It ends a call that sends nothing for 5 minutes (`CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT`).',
    'It asks for 2026-07-28, and falls back to `initialize`: seen in 2.1.332, reported since 2.1.23x.',
  ],
  docs: 'https://code.claude.com/docs/en/mcp',
  seen: {
    day: '2026-11-28',
    revision: '2026-07-28',
    sources: [
      'https://cljdoc.org/d/io.github.joshrotenberg/presa/0.1.1/doc/what-claude-code-and-codex-send-as-mcp-clients',
      'https://code.claude.com/docs/en/env-vars',
    ],
  },
  file: claudeCodeFile,
  connect(server) {
    const line = `claude mcp add --transport http ${server.key} ${toShell(server.url)}${headerOption(server)}`
    return {
      line,
      steps: [
        { title: 'Run the command', ...setShellToken(server), snippet: { language: 'sh', text: line } },
        {
          title: 'Or share it with a project',
          ...say(setToken(server, 'Claude Code')),
          snippet: toSnippet(claudeCodeFile, server),
        },
        ...signIn(server, 'Start `claude`, enter `/mcp`, and choose “Authenticate”.'),
        ...(server.hasSignIn
          ? []
          : [{ title: 'Look at it', text: `Enter \`/mcp\`. It lists the server and ${server.itsTools}.` }]),
      ],
    }
  },
}

const cursorFile: FileRow = {
  format: 'json',
  path: '.cursor/mcp.json',
  servers: 'mcpServers',
  entry: server => ({ url: server.url, ...tokenHeaders(server, `\${env:${TOKEN_VARIABLE}}`) }),
  program: createTypedEntry,
  note: server => setToken(server, 'Cursor'),
}

export const cursor: ClientRow = {
  id: 'cursor',
  title: 'Cursor',
  group: 'editors',
  way: 'One click',
  needs: [],
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
  seen: { day: '2026-11-24' },
  file: cursorFile,
  connect(server) {
    const config = cursorFile.entry(server)
    const link = `cursor://anysphere.cursor-deeplink/mcp/install?${toQuery({
      name: server.key,
      config: toBase64(JSON.stringify(config)),
    })}`
    return {
      line: JSON.stringify({ mcpServers: { [server.key]: config } }),
      steps: [
        { title: 'Add it', ...say('Cursor opens and asks you.', setToken(server, 'Cursor')), link },
        {
          title: 'Or write it into a file',
          text: 'For all projects: `~/.cursor/mcp.json`.',
          snippet: toSnippet(cursorFile, server),
        },
        ...signIn(server, 'Press “Connect” beside the server in Settings → MCP, and sign in.'),
      ],
    }
  },
}

const VSCODE_INPUT = { type: 'promptString', id: 'toolrack-token', description: 'Token', password: true }

const vsCodeFile: FileRow = {
  format: 'json',
  path: '.vscode/mcp.json',
  servers: 'servers',
  entry: server => ({ type: 'http', url: server.url, ...tokenHeaders(server, `\${input:${VSCODE_INPUT.id}}`) }),
  program: createTypedEntry,
  also: server => ({ ...(wantsToken(server) && { inputs: [VSCODE_INPUT] }) }),
  note: server => wantsToken(server) && 'VS Code asks for the token when the server starts, and keeps it.',
}

export const vsCode: ClientRow = {
  id: 'vscode',
  title: 'VS Code',
  group: 'editors',
  way: 'One click',
  needs: [],
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
    'Its documents have the tasks of revision 2025-11-25 only.',
  ],
  docs: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
  seen: { day: '2026-11-24' },
  file: vsCodeFile,
  connect(server) {
    const install = JSON.stringify({ name: server.key, ...vsCodeFile.entry(server), ...vsCodeFile.also!(server) })
    const line = `code --add-mcp ${toShell(install)}`
    return {
      line,
      steps: [
        {
          title: 'Add it',
          ...say('VS Code opens and asks you.', wantsToken(server) && 'It also asks for the token, and keeps it.'),
          link: `vscode:mcp/install?${encodeURIComponent(install)}`,
        },
        {
          title: 'Or write it into a file',
          text: 'For all projects: `MCP: Open User Configuration`.',
          snippet: toSnippet(vsCodeFile, server),
        },
        { title: 'Or run the command', snippet: { language: 'sh', text: line } },
        {
          title: 'Start it',
          ...say(
            'Press “Start” above the entry, and choose Agent in the chat.',
            `${server.itsTools.replace(/^i/, 'I')} are under the tools button.`,
            server.hasSignIn && 'VS Code opens a browser, in which you sign in.',
          ),
        },
      ],
    }
  },
}

const codexFile: FileRow = {
  format: 'toml',
  path: '~/.codex/config.toml',
  servers: 'mcp_servers',
  entry: server => ({ url: server.url, ...(wantsToken(server) && { bearer_token_env_var: TOKEN_VARIABLE }) }),
  program: createProgramEntry,
  programLine: (key, command) => `codex mcp add ${key} -- ${command}`,
  note: server => setToken(server, 'Codex'),
}

export const codex: ClientRow = {
  id: 'codex',
  title: 'Codex',
  group: 'editors',
  way: 'One command',
  needs: [],
  features: {
    elicitation: 'yes',
    listChanges: 'no',
    tasks: 'unknown',
    resources: 'yes',
    prompts: 'no',
    signIn: 'yes',
  },
  limits: [
    'A server has 10 s to start (`startup_timeout_sec`), a call 60 s (`tool_timeout_sec`).',
    'A token is read from a variable only; `bearer_token` in the file is refused.',
    'It asks for 2025-06-18 by `initialize`, also in 0.171. Since 0.147, `mcp_2026_07_28 = true` under `[features]` makes it ask for 2026-07-28.',
  ],
  docs: 'https://developers.openai.com/codex/mcp',
  seen: {
    day: '2026-11-28',
    revision: '2026-07-28 by a flag, else 2025-06-18',
    sources: [
      'https://cljdoc.org/d/io.github.joshrotenberg/presa/0.1.1/doc/what-claude-code-and-codex-send-as-mcp-clients',
      'https://github.com/brightio/penelope/pull/143',
    ],
  },
  file: codexFile,
  connect(server) {
    const tokenOption = wantsToken(server) ? ` --bearer-token-env-var ${TOKEN_VARIABLE}` : ''
    const line = `codex mcp add ${server.key} --url ${toShell(server.url)}${tokenOption}`
    return {
      line,
      steps: [
        { title: 'Run the command', ...say(setToken(server, 'Codex')), snippet: { language: 'sh', text: line } },
        {
          title: 'Or write it into a file',
          text: 'In a trusted project: `.codex/config.toml`. The terminal, editors and the desktop app read the same file.',
          snippet: toSnippet(codexFile, server),
        },
        ...signIn(server, `Run \`codex mcp login ${server.key}\`, and sign in.`),
      ],
    }
  },
}

const geminiCliFile: FileRow = {
  format: 'json',
  path: '.gemini/settings.json',
  servers: 'mcpServers',
  entry: server => ({ httpUrl: server.url, ...tokenHeaders(server, `$${TOKEN_VARIABLE}`) }),
  program: createProgramEntry,
  note: server => setToken(server, 'Gemini CLI'),
}

export const geminiCli: ClientRow = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  group: 'editors',
  way: 'One command',
  needs: [],
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
    'It uses servers only in a folder that it trusts.',
    'It asks for 2025-06-18 by `initialize`: seen in 0.61.0.',
    'Since June 2026 it works with API keys and company licences, no longer with personal accounts.',
  ],
  docs: 'https://geminicli.com/docs/tools/mcp-server/',
  seen: { day: '2026-11-28', revision: '2025-06-18' },
  file: geminiCliFile,
  connect(server) {
    const line = `gemini mcp add --transport http ${server.key} ${toShell(server.url)}${headerOption(server)}`
    return {
      steps: [
        { title: 'Run the command', ...setShellToken(server), snippet: { language: 'sh', text: line } },
        {
          title: 'Or write it into a file',
          ...say('For all projects: `~/.gemini/settings.json`.', setToken(server, 'Gemini CLI')),
          snippet: toSnippet(geminiCliFile, server),
        },
        ...signIn(server, `Start \`gemini\`, enter \`/mcp auth ${server.key}\`, and sign in.`),
      ],
    }
  },
}
