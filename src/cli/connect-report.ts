// What `toolrack connect` prints: the list of clients, or one client.
import type { Client, ServerFacts, Support } from '../clients/index.ts'
import { wrapText } from '../observability/wrap.ts'
import { toOneLine } from '../text/one-line.ts'
import type { Io } from './io.ts'
import { formatTable } from './table.ts'

const FEATURES: Readonly<Record<keyof Client['features'], string>> = {
  elicitation: 'questions',
  listChanges: 'list changes',
  tasks: 'tasks',
  resources: 'resources',
  prompts: 'prompts',
  signIn: 'sign-in by OAuth',
}

export function formatList(clients: readonly Client[], facts: ServerFacts, { paint }: Io): string {
  const rows = clients.map(({ id, title, needs, problems }) => [
    `  ${paint('bold', id)}`,
    title,
    problems.length > 0 ? paint('yellow', `needs ${needs[0]}`) : '',
  ])
  const table = formatTable(rows).replace(/ +$/gm, '')
  return `${describeServer(facts)}\n\n${table}\n\nHow one connects: toolrack connect claude-code`
}

function describeServer({ url, access, authorizationServers }: ServerFacts): string {
  const way = authorizationServers.length > 0 ? 'clients sign in by OAuth' : 'callers need a token'
  return `${toOneLine(url)} (${access === 'open' ? 'open' : way})`
}

export function formatClient(client: Client, io: Io): string {
  const { paint } = io
  const parts = [
    paint('bold', client.title),
    ...client.problems.map(
      ({ text, fix }) => `${paint('yellow', 'Not yet: ')}${fold(text, io)}\n${fold(`Fix: ${fix}`, io)}`,
    ),
    client.steps.map((step, index) => fold(`${index + 1}. ${step}`, io, '   ')).join('\n'),
    ...(client.deepLink === undefined ? [] : [`Link:\n\n  ${link(client.deepLink, io)}`]),
    ...client.snippets.map(({ title, file, text }) => {
      const heading = `${title}${file === undefined ? '' : `, ${file}`}:`
      return `${paint('bold', heading)}\n\n${text.replace(/^(?=.)/gm, '  ')}`
    }),
    describeFeatures(client)
      .map(line => fold(line, io, '  '))
      .join('\n'),
    client.limits.map(limit => fold(`- ${limit}`, io, '  ')).join('\n'),
    `More: ${link(client.docs, io)}`,
  ]
  return parts.join('\n\n')
}

const ANSWERS: Readonly<Record<Support, string>> = {
  yes: 'Supported beside tools',
  no: 'Not supported',
  unknown: 'Its documents do not say',
}

function describeFeatures({ features }: Client): readonly string[] {
  return Object.entries(ANSWERS).flatMap(([answer, title]) => {
    const names = Object.entries(FEATURES).filter(([key]) => features[key as keyof typeof FEATURES] === answer)
    return names.length === 0 ? [] : [`${title}: ${names.map(([, name]) => name).join(', ')}`]
  })
}

/** Wraps at the width of the terminal; a pipe gets whole lines. */
function fold(text: string, { stdout }: Io, indent = ''): string {
  if (stdout.isTTY !== true) return text
  return wrapText(text, (stdout.columns || 80) - indent.length).join(`\n${indent}`)
}

/** A link of OSC 8, which stays one where the terminal breaks the line. */
const link = (url: string, { stdout }: Io): string =>
  stdout.isTTY === true ? `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\` : url
