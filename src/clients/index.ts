// Every client that Toolrack knows, described for one server. The page, the console, the command
// `toolrack connect` and docs/clients.md show the same.
import { anthropicApi, openaiResponses } from './apis.ts'
import { chatGpt, claudeAi, claudeDesktop } from './chat-apps.ts'
import type { Client, ClientRow, Problem, Server, ServerFacts } from './client.ts'
import { claudeCode, codex, cursor, geminiCli, vsCode } from './coding-agents.ts'
import { inspector, mcpRemote } from './developer-tools.ts'
import { aiSdk, langchain, openaiAgents } from './frameworks.ts'
import { toServer } from './server.ts'
import { wantsToken } from './token.ts'

export type { Client, Features, ServerFacts, Snippet, Support } from './client.ts'

/** In the order in which they are shown. */
const ROWS: readonly ClientRow[] = [
  claudeAi,
  claudeCode,
  claudeDesktop,
  chatGpt,
  cursor,
  vsCode,
  codex,
  geminiCli,
  anthropicApi,
  openaiResponses,
  openaiAgents,
  aiSdk,
  langchain,
  inspector,
  mcpRemote,
]

export const CLIENT_IDS: readonly string[] = ROWS.map(({ id }) => id)

/**
 * How each client connects to this server.
 *
 * @throws TypeError if `url` is not a URL of HTTP
 */
export function describeClients(facts: ServerFacts): readonly Client[] {
  const server = toServer(facts)
  return ROWS.map(row => describe(row, server))
}

function describe(row: ClientRow, server: Server): Client {
  const { id, title, needs, features, limits, docs } = row
  return { id, title, needs, ...row.connect(server), problems: findProblems(row, server), features, limits, docs }
}

const TUNNEL =
  'Put the server behind an HTTPS proxy or a tunnel (such as `cloudflared tunnel --url` or `ngrok http`), ' +
  'and set PUBLIC_URL to the URL that it has there. Everybody can reach it then, so turn access control on.'

function findProblems(row: ClientRow, server: Server): readonly Problem[] {
  const { url, isLocal, isHttps } = server
  const problems: Problem[] = []
  if (row.isRemote && (isLocal || !isHttps)) {
    const reason = isLocal ? 'only this machine or network can open it' : 'it has no HTTPS'
    problems.push({
      text: `${row.title}: a public HTTPS URL is needed. This server is at ${url}; ${reason}.`,
      fix: TUNNEL,
    })
  }
  if (row.isSignInOnly === true && wantsToken(server)) {
    problems.push({
      text: `${row.title}: users sign in by OAuth, and this server names no authorization server.`,
      fix: 'Set JWT_JWKS_URL, JWT_ISSUER and AUTHORIZATION_SERVERS.',
    })
  }
  return problems
}
