// Generates docs/reference/clients.md from the rows of packages/console/src/clients/, with the URL of a server on this machine.

import { wrapText } from '../../packages/cli/src/wrap.ts'
import {
  type Client,
  describeClients,
  type Features,
  PROGRAM_CLIENTS,
  type ServerFacts,
  type Step,
} from '../../packages/console/src/clients/index.ts'
import { code } from './table.ts'

export const PAGE = 'docs/reference/clients.md'

const LOCAL: ServerFacts = {
  url: 'http://127.0.0.1:3000/mcp',
  name: 'toolrack',
  access: 'open',
  authorizationServers: [],
  plainHttp: { url: 'http://127.0.0.1:3000/tools', isOn: true },
  exampleTool: {
    name: 'calculate_sum',
    inputSchema: { properties: { a: { default: 2 }, b: { default: 3 } }, required: ['a', 'b'] },
  },
}
const PUBLIC: ServerFacts = {
  ...LOCAL,
  url: 'https://mcp.example/mcp',
  plainHttp: { url: 'https://mcp.example/tools', isOn: true },
}

const COLUMNS: Readonly<Record<keyof Features, string>> = {
  elicitation: 'questions',
  listChanges: 'list changes',
  tasks: 'tasks',
  resources: 'resources',
  prompts: 'prompts',
  signIn: 'sign-in',
}

const INTRODUCTION = `<!-- Written by \`npm run docs\` from packages/console/src/clients/ and scripts/docs/clients.ts. -->

# Clients

How each client connects. \`toolrack connect\` prints the same with the URL of your server and where a
token goes, and so does the page of the server.

\`\`\`sh
npx toolrack connect              # the list
npx toolrack connect cursor --url https://mcp.example/mcp
\`\`\`

What clients support beside tools, as their documents say`

const LEGEND = `*stdio*: it can [start the server itself](../guides/stdio.md). *Questions*: a tool can ask the user.
*List changes*: changed tools show without a restart.

**From the internet.** Claude.ai, ChatGPT, Gemini and the APIs of models connect from their vendors'
machines, and need a public URL with HTTPS, not \`127.0.0.1\`. Put the server [behind an HTTPS
proxy](../guides/behind-a-proxy.md), and turn [access control](../guides/access.md) on.

**With a token.** If the server names authorization servers, clients sign in by themselves.
Otherwise commands take the token from the variable \`TOKEN\` of your shell, and clients that read it
at each start from \`TOOLRACK_TOKEN\`.
`

/** The page says so of all, and so does the command. */
const TOLD = [
  'a public HTTPS URL',
  'Node',
  'Node, for mcp-remote',
  'Tools only: no questions to the user, resources or prompts.',
]

export function clientsPage(): string {
  const local = describeClients(LOCAL)
  const open = describeClients(PUBLIC)
  const sections = local.map((client, index) => section(client, open[index]!))
  const days = local.map(({ seen }) => seen.day).sort()
  const introduction = `${INTRODUCTION} (read from ${days[0]} to ${days.at(-1)}):\n`
  return [introduction, overview(local), '', LEGEND, ...sections].join('\n')
}

function overview(clients: readonly Client[]): string {
  const keys = Object.keys(COLUMNS) as (keyof Features)[]
  const items = clients.map(({ id, title, features }) => {
    const stdio = PROGRAM_CLIENTS.includes(id) ? ['stdio'] : []
    const namesOf = (wanted: Features[keyof Features]) =>
      keys.filter(key => features[key] === wanted).map(key => COLUMNS[key])
    const supported = [...stdio, ...namesOf('yes')].join(', ')
    const missing = namesOf('no').join(', ')
    const support = supported === '' ? 'tools only' : supported + (missing === '' ? '' : `; not ${missing}`)
    return toItem('- ', `[${title}](#${toAnchor(title)}): ${support}`)
  })
  return items.join('\n')
}

/** As GitHub makes them. */
const toAnchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** A client that cannot reach this machine is shown with a public URL. */
function section(local: Client, open: Client): string {
  const client = local.problems.length > 0 ? open : local
  const { id, title, docs, limits } = client
  const needs = client.needs.filter(need => !TOLD.includes(need))
  const items = [
    ...(needs.length > 0 ? [`It needs ${needs.join(', ')}.`] : []),
    ...limits.filter(limit => !TOLD.includes(limit)),
  ]
  return [
    `## ${title}\n`,
    `${wayIn(id, client.steps)}\n`,
    `[Documents](${docs})\n`,
    ...items.map(item => toItem('- ', item)),
    '',
  ].join('\n')
}

/** A command alone is shown. For an entry of a file, or a program, `toolrack connect` prints more than a page can. */
function wayIn(id: string, steps: readonly Step[]): string {
  const snippets = steps.flatMap(({ snippet }) => snippet ?? [])
  const command = snippets.find(({ language, file }) => language === 'sh' && file === undefined)
  if (command !== undefined) return fence('sh', command.text)
  const { file } = snippets[0] ?? {}
  const goal = file === undefined ? '' : `, for ${code(file)}`
  return `${code(`npx toolrack connect ${id}`)}${goal}`
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const WIDTH = 100

/** An item of a list, with its further lines below the first word. */
const toItem = (mark: string, text: string): string =>
  mark + wrapText(text, WIDTH - mark.length).join(`\n${' '.repeat(mark.length)}`)
