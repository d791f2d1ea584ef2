// Generates docs/reference/clients.md from the rows of packages/console/src/clients/, with the URL of a server on this machine.

import { wrapText } from '../../packages/cli/src/wrap.ts'
import {
  type Client,
  describeClients,
  type Features,
  PROGRAM_CLIENTS,
  type ServerFacts,
  type Snippet,
  type Step,
} from '../../packages/console/src/clients/index.ts'
import { code, markdownTable } from './table.ts'

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
const BY_TOKEN: ServerFacts = { ...PUBLIC, access: 'token' }

const COLUMNS: Readonly<Record<keyof Features, string>> = {
  elicitation: 'questions',
  listChanges: 'list changes',
  tasks: 'tasks',
  resources: 'resources',
  prompts: 'prompts',
  signIn: 'sign-in',
}

const SIGNS = { yes: 'yes', no: 'no', unknown: '?' } as const

const INTRODUCTION = `<!-- Written by \`npm run docs\` from packages/console/src/clients/ and scripts/docs/clients.ts. -->

# Clients

How each client connects, what it needs, and what it does not support. The page of your server shows
the same with its URL, and \`toolrack connect\` prints it:

\`\`\`sh
npx toolrack connect              # the list
npx toolrack connect claude-code  # one client
npx toolrack connect cursor --url https://mcp.example/mcp
npx toolrack connect claude-desktop --stdio ./tools
\`\`\`

Every client calls tools. What it does beside that, as its documents said on the day of its row:
`

const LEGEND = `"?" means that its documents do not say. *stdio*: it can start the server itself, and
\`toolrack connect CLIENT --stdio\` shows how ([guide](../guides/stdio.md)). *Questions* are what a tool
asks the user (elicitation). *List changes*: tools that you add or change show without a restart of
the client. *Sign-in* is by OAuth ([access](../guides/access.md)). *Revision* is the newest of the protocol that
it speaks; the server speaks all ([revisions](revisions.md)). If a client does not support questions,
\`ctx.elicit\` fails with a text for the model. If it does not support tasks,
\`TASK_FALLBACK_TOOLS=true\` helps ([settings](settings.md)).

## From this machine, or from the internet

Claude.ai, ChatGPT and the APIs of models connect from their vendors' machines. They cannot reach
\`127.0.0.1\`. Put the server behind an HTTPS proxy or a tunnel, set \`PUBLIC_URL\` to the URL that it
has there, and turn [access control](../guides/access.md) on. The others connect from where they run.

## With a token

If the server names authorization servers, clients sign in by OAuth, and there is nothing more to
write. Otherwise the snippets take a token. A command takes it from the variable \`TOKEN\` of your
shell. A client that reads it each time it starts takes it from \`TOOLRACK_TOKEN\` in its environment.
You set either yourself. \`toolrack connect\` asks the server whether it wants a token, and prints the
snippets for that.
`

export function clientsPage(): string {
  const local = describeClients(LOCAL)
  const open = describeClients(PUBLIC)
  const byToken = describeClients(BY_TOKEN)
  const sections = local.map((client, index) => section(client, open[index]!, byToken[index]!))
  return [INTRODUCTION, table(local), '', LEGEND, ...sections].join('\n')
}

function table(clients: readonly Client[]): string {
  const keys = Object.keys(COLUMNS) as (keyof Features)[]
  const rows = clients.map(({ id, title, needs, features, seen }) => [
    `[${title}](#${toAnchor(title)})`,
    needs.join(', ') || '–',
    PROGRAM_CLIENTS.includes(id) ? 'yes' : '–',
    ...keys.map(key => SIGNS[features[key]]),
    seen.revision ?? '?',
    seen.day,
  ])
  return markdownTable(['client', 'needs', 'stdio', ...keys.map(key => COLUMNS[key]), 'revision', 'looked at'], rows)
}

/** As GitHub makes them. */
const toAnchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** A client that cannot reach this machine is shown with a public URL. */
function section(local: Client, open: Client, byToken: Client): string {
  const client = local.problems.length > 0 ? open : local
  return [
    `## ${client.title}\n`,
    ...client.steps.map((step, index) => stepText(step, index + 1)),
    ...tokenNote(open, byToken),
    ...client.limits.map(limit => toItem('- ', limit)),
    `- Its documents: <${client.docs}>`,
    ...(client.seen.sources ?? []).map(source => `- Also: <${source}>`),
    '',
  ].join('\n')
}

function stepText({ title, text, snippet, link }: Step, number: number): string {
  const file = snippet?.file === undefined ? '' : `, ${code(snippet.file)}`
  const heading = toItem(`${number}. `, `**${title}${file}.**${text === undefined ? '' : ` ${text}`}`)
  const blocks = [
    ...(link === undefined ? [] : [fence('text', link)]),
    ...(snippet === undefined ? [] : [show(snippet)]),
  ]
  return [heading, ...blocks.map(block => indent(block))].join('\n\n') + (blocks.length > 0 ? '' : '\n')
}

const show = ({ language, text }: Snippet): string => fence(language === 'env' ? 'sh' : language, text)

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`

/** Within an item of a list. */
const indent = (text: string): string => text.replace(/^(?=.)/gm, '   ')

function tokenNote(open: Client, { problems, steps }: Client): readonly string[] {
  if (problems.length > 0) return ['With access control it needs an authorization server.\n']
  const index = steps.findIndex(({ snippet }) => snippet !== undefined && /TOKEN|Authorization/.test(snippet.text))
  const shown = steps[index]?.snippet
  if (shown === undefined) return []
  if (shown.language !== 'ts') return [`With a token:\n\n${fence(shown.language, shown.text)}`]
  const before = open.steps[index]!.snippet!.text.split('\n')
  const added = shown.text.split('\n').filter(line => !before.includes(line))
  return [`With a token, there is one more line:\n\n${fence('ts', added.map(line => line.trim()).join('\n'))}`]
}

const WIDTH = 100

/** An item of a list, with its further lines below the first word. */
const toItem = (mark: string, text: string): string =>
  mark + wrapText(text, WIDTH - mark.length).join(`\n${' '.repeat(mark.length)}`)
