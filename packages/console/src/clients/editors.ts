// More editors and agents on the user's machine. Each fact comes from the sources in its row; nobody
// has run these against this server.
import { type ClientRow, type FileRow, UNKNOWN_FEATURES } from './client.ts'
import { toSnippet } from './file.ts'
import { createProgramEntry, toCommandLine } from './program.ts'
import { toShell } from './quote.ts'
import { type EntryPlace, pasteEntry, say, setToken, signIn } from './steps.ts'
import { placeToken, TOKEN_PLACE, TOKEN_VARIABLE, tokenHeaders, wantsToken } from './token.ts'

/** Of the documents of 24 clients, and of their features. */
const MATRIX = 'https://www.developersdigest.tech/mcp-servers/clients'
const FEATURES = 'https://dev.to/serverdex/which-mcp-clients-support-which-features-i-read-the-docs-59kb'
const DAY = '2026-11-27'

const windsurfFile: FileRow = {
  format: 'json',
  path: '~/.codeium/windsurf/mcp_config.json',
  servers: 'mcpServers',
  entry: server => ({
    serverUrl: server.url,
    ...tokenHeaders(server, `\${env:${TOKEN_VARIABLE}}`),
  }),
  program: createProgramEntry,
  note: server => setToken(server, 'Windsurf'),
  restart: { title: 'Press Refresh', text: 'It is in the MCP toolbar.' },
}

export const windsurf: ClientRow = {
  id: 'windsurf',
  title: 'Windsurf',
  group: 'editors',
  way: 'By a file',
  needs: [],
  features: { ...UNKNOWN_FEATURES, resources: 'yes', prompts: 'yes', signIn: 'yes' },
  limits: ['In its file, `serverUrl` is the URL of a server; a `url` alone does not connect.'],
  docs: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  seen: { day: DAY, sources: [FEATURES, 'https://raw.githubusercontent.com/newtalaria/docs/main/mcp/windsurf.md'] },
  file: windsurfFile,
  connect: server => ({
    steps: [
      {
        title: 'Write it into a file',
        ...say('In the MCP toolbar, “Configure” opens it.', setToken(server, 'Windsurf')),
        snippet: toSnippet(windsurfFile, server),
      },
      windsurfFile.restart!,
      ...signIn(server, 'Windsurf opens a browser, in which you sign in.'),
    ],
  }),
}

const zedFile: FileRow = {
  format: 'json',
  path: {
    linux: '~/.config/zed/settings.json',
    darwin: '~/.config/zed/settings.json',
    win32: '%APPDATA%/Zed/settings.json',
  },
  servers: 'context_servers',
  entry: server => ({ url: server.url, ...tokenHeaders(server, TOKEN_PLACE) }),
  program: createProgramEntry,
  note: placeToken,
}

export const zed: ClientRow = {
  id: 'zed',
  title: 'Zed',
  group: 'editors',
  way: 'By a file',
  needs: [],
  features: { ...UNKNOWN_FEATURES, elicitation: 'no', listChanges: 'yes', prompts: 'yes', signIn: 'yes' },
  limits: ['Its documents name tools and prompts only.'],
  docs: 'https://zed.dev/docs/ai/mcp',
  seen: { day: DAY },
  file: zedFile,
  connect: server => ({
    steps: [
      {
        title: 'Write it into a file',
        ...say('The command `zed: open settings file` opens it.', placeToken(server)),
        snippet: toSnippet(zedFile, server),
      },
      ...signIn(server, 'Zed opens a browser, in which you sign in.'),
    ],
  }),
}

const copilotCliFile: FileRow = {
  format: 'json',
  path: '~/.copilot/mcp-config.json',
  servers: 'mcpServers',
  entry: server => ({ type: 'http', url: server.url, ...tokenHeaders(server, TOKEN_PLACE), tools: ['*'] }),
  program: program => ({ type: 'local', ...createProgramEntry(program), tools: ['*'] }),
  programLine: (key, command) => `copilot mcp add ${key} -- ${command}`,
  note: placeToken,
}

export const copilotCli: ClientRow = {
  id: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  group: 'editors',
  way: 'By a file',
  needs: [],
  features: { ...UNKNOWN_FEATURES, signIn: 'yes' },
  limits: ['It also reads `.mcp.json` and `.github/mcp.json` of a repository.'],
  docs: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
  seen: { day: DAY, sources: [`${MATRIX}/github-copilot-cli`] },
  file: copilotCliFile,
  connect: server => ({
    steps: [
      {
        title: 'Write it into a file',
        ...say('In a session, `/mcp add` asks for the same.', placeToken(server)),
        snippet: toSnippet(copilotCliFile, server),
      },
      ...signIn(server, 'It opens a browser, in which you sign in.'),
    ],
  }),
}

const antigravityPlace: EntryPlace = {
  title: 'Write it into a file',
  text: 'In the agent’s menu, choose MCP Servers → Manage MCP Servers → View raw config.',
  file: 'mcp_config.json',
}

export const antigravity: ClientRow = {
  id: 'antigravity',
  title: 'Antigravity',
  group: 'editors',
  way: 'By a file',
  needs: [],
  features: UNKNOWN_FEATURES,
  limits: [
    'Users report that it signs in to no authorization server; a token in `headers` works.',
    'Sources name different places for its file, so open it from its menu.',
  ],
  docs: 'https://antigravity.google/docs/mcp',
  seen: {
    day: DAY,
    sources: [
      'https://sam-mesh.dev/docs/integrations/antigravity/',
      'https://docs.silabs.com/mcp/1.0.0/mcp-setup/antigravity',
      'https://discuss.ai.google.dev/t/136601',
    ],
  },
  program: (key, program) => [
    pasteEntry(antigravityPlace, key, createProgramEntry(program)),
    { title: 'Press Refresh' },
  ],
  connect(server) {
    const entry = { serverUrl: server.url, ...tokenHeaders(server, TOKEN_PLACE) }
    return {
      steps: [pasteEntry(antigravityPlace, server.key, entry, placeToken(server)), { title: 'Press Refresh' }],
    }
  },
}

const jetBrainsPlace: EntryPlace = {
  title: 'Add it as JSON',
  text: 'Settings → Tools → AI Assistant → Model Context Protocol has “Add”.',
}

export const jetBrains: ClientRow = {
  id: 'jetbrains',
  title: 'JetBrains AI Assistant',
  group: 'editors',
  way: 'In its settings',
  needs: [],
  features: UNKNOWN_FEATURES,
  limits: ['Junie, the agent beside it, only starts programs: `toolrack start --stdio` or `mcp-remote`.'],
  docs: 'https://www.jetbrains.com/help/ai-assistant/mcp.html',
  seen: {
    day: DAY,
    sources: [
      `${MATRIX}/jetbrains-ai-assistant`,
      'https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html',
    ],
  },
  program: (key, program) => [pasteEntry(jetBrainsPlace, key, createProgramEntry(program))],
  connect(server) {
    const entry = { url: server.url, ...tokenHeaders(server, TOKEN_PLACE) }
    return { steps: [pasteEntry(jetBrainsPlace, server.key, entry, placeToken(server))] }
  },
}

const clineFile: FileRow = {
  format: 'json',
  path: '~/.cline/data/settings/cline_mcp_settings.json',
  servers: 'mcpServers',
  entry: server => ({ type: 'streamableHttp', url: server.url, ...tokenHeaders(server, TOKEN_PLACE) }),
  program: createProgramEntry,
  note: placeToken,
}

export const cline: ClientRow = {
  id: 'cline',
  title: 'Cline',
  group: 'editors',
  way: 'By a file',
  needs: [],
  features: { ...UNKNOWN_FEATURES, signIn: 'yes' },
  limits: [
    'A call ends after 60 s; its settings allow 30 s to an hour.',
    'The file is that of the terminal. In an editor, “Configure MCP Servers” opens another one.',
  ],
  docs: 'https://docs.cline.bot/mcp/mcp-overview',
  seen: { day: DAY, sources: [`${MATRIX}/cline`, 'https://docs.cline.bot/mcp/configuring-mcp-servers'] },
  file: clineFile,
  connect: server => ({
    steps: [
      { title: 'Write it into a file', ...say(placeToken(server)), snippet: toSnippet(clineFile, server) },
      ...signIn(server, 'Cline opens a browser, in which you sign in.'),
    ],
  }),
}

export const goose: ClientRow = {
  id: 'goose',
  title: 'Goose',
  group: 'editors',
  way: 'One command',
  needs: [],
  features: { ...UNKNOWN_FEATURES, resources: 'yes', signIn: 'yes' },
  limits: ['It does not speak HTTP+SSE.'],
  docs: 'https://block.github.io/goose/docs/getting-started/using-extensions',
  seen: {
    day: DAY,
    sources: [
      `${MATRIX}/goose`,
      'https://www.mintlify.com/block/goose/api/extensions/overview',
      'https://github.com/aaif-goose/goose/pull/8150',
    ],
  },
  program(_key, program) {
    const command = toCommandLine(program)
    return [
      {
        title: 'Try it in a session',
        snippet: { language: 'sh', text: `goose session --with-extension ${toShell(command)}` },
      },
      {
        title: 'Or keep it',
        text: 'Run `goose configure`, choose Add Extension → Command-line Extension, and enter the command.',
        snippet: { language: 'sh', text: command },
      },
    ]
  },
  connect: server => ({
    steps: [
      {
        title: 'Try it in a session',
        snippet: {
          language: 'sh',
          text: `goose session --with-streamable-http-extension ${toShell(server.url)}`,
        },
      },
      {
        title: 'Or keep it',
        ...say(
          'Run `goose configure`, and choose Add Extension → Remote Extension (Streamable HTTP).',
          `Enter the name \`${server.key}\` and the URL \`${server.url}\`.`,
          wantsToken(server) && 'Add the header `Authorization` with your token.',
        ),
      },
      ...signIn(server, 'Goose opens a browser, in which you sign in.'),
    ],
  }),
}
