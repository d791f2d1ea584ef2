// Apps other than the chat apps of the large vendors. Each fact comes from the sources in its row;
// nobody has run these apps against this server.
import { type ClientRow, UNKNOWN_FEATURES } from './client.ts'
import { createProgramEntry } from './program.ts'
import { toBase64, toQuery } from './quote.ts'
import { type EntryPlace, pasteEntry, say, signIn } from './steps.ts'
import { placeToken, TOKEN_PLACE, tokenHeaders, wantsToken } from './token.ts'

const DAY = '2026-11-27'

export const geminiApps: ClientRow = {
  id: 'gemini-apps',
  title: 'Gemini (Connected Apps)',
  group: 'chat-apps',
  way: 'As a custom app',
  needs: ['a public HTTPS URL', 'a personal Google account'],
  vendor: 'Google',
  isSignInOnly: true,
  features: { ...UNKNOWN_FEATURES, signIn: 'yes' },
  limits: [
    'It speaks revisions up to 2025-11-25.',
    'Accounts of work and school cannot add apps.',
    'Sources name a sign-in by OAuth, and no field for a token.',
  ],
  docs: 'https://developers.google.com/connected-apps/mcp/server-optimization',
  seen: {
    day: DAY,
    revision: '2025-11-25',
    sources: [
      'https://support.google.com/gemini/answer/17209137',
      'https://www.speakeasy.com/docs/ai-control-plane/guides/distribute-connectors-to-gemini.md',
    ],
  },
  connect: ({ url }) => ({
    steps: [
      {
        title: 'Add a custom app',
        text: `The page https://support.google.com/gemini/answer/17209137 says how. Enter the URL \`${url}\`.`,
      },
    ],
  }),
}

const lmStudioPlace: EntryPlace = {
  title: 'Write it into a file',
  text: 'In the Program tab, choose Install → Edit mcp.json.',
  file: 'mcp.json',
}

export const lmStudio: ClientRow = {
  id: 'lm-studio',
  title: 'LM Studio',
  group: 'chat-apps',
  way: 'One click',
  needs: [],
  features: UNKNOWN_FEATURES,
  limits: ['It takes servers by URL since 0.3.17, in the notation of Cursor.'],
  docs: 'https://lmstudio.ai/docs/app/mcp',
  seen: {
    day: DAY,
    sources: ['https://www.developersdigest.tech/mcp-servers/clients/lm-studio', 'https://lmstudio.ai/mcp'],
  },
  program: (key, program) => [pasteEntry(lmStudioPlace, key, createProgramEntry(program))],
  connect(server) {
    const config = { url: server.url, ...tokenHeaders(server, TOKEN_PLACE) }
    const place = placeToken(server)
    return {
      steps: [
        {
          title: 'Add it',
          ...say('LM Studio opens and asks you.', place),
          link: `https://lmstudio.ai/install-mcp?${toQuery({
            name: server.key,
            config: toBase64(JSON.stringify(config)),
          })}`,
        },
        pasteEntry({ ...lmStudioPlace, title: 'Or write it into a file' }, server.key, config, place),
      ],
    }
  },
}

export const n8n: ClientRow = {
  id: 'n8n',
  title: 'n8n',
  group: 'frameworks',
  way: 'As a node of a workflow',
  needs: [],
  features: { ...UNKNOWN_FEATURES, signIn: 'yes' },
  limits: ['The connection comes from where n8n runs, so its cloud needs a public URL.'],
  docs: 'https://docs.n8n.io/integrations/builtin/cluster-nodes/sub-nodes/n8n-nodes-langchain.toolmcp',
  seen: {
    day: DAY,
    sources: ['https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-langchain.mcpClient'],
  },
  connect: server => ({
    steps: [
      {
        title: 'Add the node MCP Client Tool',
        ...say(
          'As server transport choose HTTP Streamable.',
          `Enter the endpoint \`${server.url}\`.`,
          wantsToken(server)
            ? 'As authentication choose Bearer, with your token or API key.'
            : server.hasSignIn
              ? 'As authentication choose OAuth2.'
              : 'As authentication choose None.',
        ),
      },
      ...signIn(server, 'Press “Connect” in the credential, and sign in.'),
    ],
  }),
}
