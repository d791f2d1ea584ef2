// Every client that Toolrack knows, described for one server. The page, the console, the command
// `toolrack connect` and docs/reference/clients.md show the same.
import { anthropicApi, curl, openaiResponses } from './apis.ts'
import { geminiApps, lmStudio, n8n } from './apps.ts'
import { chatGpt, claudeAi, claudeDesktop } from './chat-apps.ts'
import type { Client, ClientRow, GroupId, Program, Server, ServerFacts } from './client.ts'
import { claudeCode, codex, cursor, geminiCli, vsCode } from './coding-agents.ts'
import { inspector, mcpRemote } from './developer-tools.ts'
import { antigravity, cline, copilotCli, goose, jetBrains, windsurf, zed } from './editors.ts'
import { describeFile } from './file.ts'
import { aiSdk, langchain, openaiAgents } from './frameworks.ts'
import { findProblems, toReachable } from './problems.ts'
import { describeProgram, startsPrograms } from './program.ts'
import { toServer } from './server.ts'

export {
  type Client,
  type ClientFile,
  type Features,
  findDeepLink,
  type GroupId,
  type Program,
  type Seen,
  type ServerFacts,
  type Snippet,
  type Step,
  type Support,
  type System,
} from './client.ts'

export { createProgram, toProgramJson } from './program.ts'

/** In the order of display. */
const ROWS: readonly ClientRow[] = [
  claudeCode,
  vsCode,
  cursor,
  codex,
  geminiCli,
  copilotCli,
  antigravity,
  windsurf,
  zed,
  jetBrains,
  cline,
  goose,
  inspector,
  aiSdk,
  openaiAgents,
  langchain,
  n8n,
  claudeDesktop,
  lmStudio,
  mcpRemote,
  claudeAi,
  chatGpt,
  geminiApps,
  curl,
  anthropicApi,
  openaiResponses,
]

export const CLIENT_IDS: readonly string[] = ROWS.map(({ id }) => id)

/** Clients that can start a server themselves. */
export const PROGRAM_CLIENTS: readonly string[] = ROWS.filter(startsPrograms).map(({ id }) => id)

/** How a client starts the server itself. @returns undefined if unknown */
export function describeClientProgram(id: string, name: string, program: Program) {
  const row = ROWS.find(each => each.id === id)
  return row && describeProgram(row, name, program)
}

/**
 * How each client connects to this server.
 *
 * @throws TypeError if a URL is not one of HTTP
 */
export function describeClients(facts: ServerFacts): readonly Client[] {
  const server = toServer(facts)
  return ROWS.map(row => describe(row, server))
}

function describe(row: ClientRow, server: Server): Client {
  const { id, title, group, way, needs, features, limits, docs, seen } = row
  const problems = findProblems(row, server)
  const { steps, line } = row.connect(toReachable(row, server))
  return {
    ...{ id, title, group, way, needs, problems, features, limits, docs, seen },
    steps: [...problems.flatMap(problem => problem.steps), ...steps],
    ...(line !== undefined && { line }),
    ...(row.file !== undefined && { file: describeFile(row.file, toReachable(row, server)) }),
  }
}

export interface ClientGroup {
  readonly id: GroupId
  readonly title: string
  /** Clients that can reach the server come first. */
  readonly clients: readonly Client[]
}

const GROUPS: Readonly<Record<GroupId, string>> = {
  editors: 'Editors and terminals',
  frameworks: 'Frameworks',
  'chat-apps': 'Chat apps',
  apis: 'APIs',
}

/** The group with the most reachable clients comes first. */
export function groupClients(clients: readonly Client[]): readonly ClientGroup[] {
  const groups = Object.entries(GROUPS).map(([id, title]) => {
    const members = clients.filter(({ group }) => group === id)
    return { id: id as GroupId, title, clients: members.toSorted((one, other) => isOff(one) - isOff(other)) }
  })
  const share = ({ clients }: ClientGroup) => clients.reduce((sum, each) => sum + isOff(each), 0) / clients.length
  return groups.toSorted((one, other) => share(one) - share(other))
}

const isOff = ({ problems }: Client): number => (problems.length > 0 ? 1 : 0)

/** The second line of its card. */
export const describeWay = ({ problems, way }: Client): string => problems[0]?.short ?? way
