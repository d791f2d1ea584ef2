// The output of `toolrack connect`: the list of clients, or one client.
import {
  type Client,
  describeWay,
  groupClients,
  type Seen,
  type ServerFacts,
  type Step,
  type Support,
} from 'toolrack/clients'
import { toOneLine } from 'toolrack/text'
import type { Io } from './io.ts'
import { formatTable } from './table.ts'
import { wrapText } from './wrap.ts'

const FEATURES: Readonly<Record<keyof Client['features'], string>> = {
  elicitation: 'questions',
  listChanges: 'list changes',
  tasks: 'tasks',
  resources: 'resources',
  prompts: 'prompts',
  signIn: 'sign-in by OAuth',
}

export function formatList(clients: readonly Client[], facts: ServerFacts, { paint }: Io): string {
  const rows = groupClients(clients).flatMap(group =>
    group.clients.map(client => [
      `  ${paint('bold', client.id)}`,
      client.title,
      client.problems.length > 0 ? paint('yellow', describeWay(client).replace(/^N/, 'n')) : '',
    ]),
  )
  const table = formatTable(rows)
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
    ...client.problems.map(({ title, text }) => `${paint('yellow', 'Not yet: ')}${fold(`${title} ${text}`, io)}`),
    ...client.steps.map((step, index) => formatStep(step, index + 1, io)),
    describeFeatures(client)
      .map(line => fold(line, io, '  '))
      .join('\n'),
    client.limits.map(limit => fold(`- ${limit}`, io, '  ')).join('\n'),
    `More: ${link(client.docs, io)}\n${fold(describeSeen(client.seen), io)}`,
  ]
  return parts.join('\n\n')
}

/** Only the steps of a client. */
export const formatSteps = ({ title, steps }: Pick<Client, 'title' | 'steps'>, io: Io): string =>
  [io.paint('bold', title), ...steps.map((step, index) => formatStep(step, index + 1, io))].join('\n\n')

const describeSeen = ({ day, revision }: Seen): string =>
  `Looked at on ${day}. Revision of the protocol: ${revision ?? 'its documents do not say'}.`

function formatStep({ title, text, snippet, link: target }: Step, number: number, io: Io): string {
  const heading = `${number}. ${title}${snippet?.file === undefined ? '' : `, ${snippet.file}`}`
  const parts = [
    `${io.paint('bold', heading)}${text === undefined ? '' : `\n   ${fold(text, io, '   ')}`}`,
    ...(target === undefined ? [] : [`  ${link(target, io)}`]),
    ...(snippet === undefined ? [] : [snippet.text.replace(/^(?=.)/gm, '  ')]),
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

/** A link of OSC 8. It still works if the terminal breaks the line. */
const link = (url: string, { stdout }: Io): string =>
  stdout.isTTY === true ? `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\` : url
