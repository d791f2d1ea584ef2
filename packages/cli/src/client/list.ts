// `toolrack list`: reads the lists of a server and prints them.
import {
  type Client,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type Resource,
  type ResourceTemplateType,
  type Tool,
} from '@modelcontextprotocol/client'
import { withLocalReferences } from '@toolrack/json-schema/local-references'
import { firstSentence, formatSignature, listMarks } from '@toolrack/json-schema/signature'
import picomatch from 'picomatch'
import { toVisibleLine } from 'toolrack/text'
import { CommandError } from '../errors.ts'
import { runInterruptible } from '../interrupt.ts'
import type { Io } from '../io.ts'
import { connect, disconnect, offers } from './connect.ts'
import { explainFailure } from './failures.ts'
import { printOutcome } from './outcome.ts'
import { isServer, resolveTarget, type TargetOptions } from './target.ts'

interface ListOptions extends TargetOptions {
  readonly resources?: boolean
  readonly prompts?: boolean
  readonly json?: boolean
}

type Kind = 'tools' | 'resources' | 'prompts'

/** The printed part of one entry. */
interface Row {
  readonly name: string
  /** One line in the form of a call. */
  readonly line: string
  readonly marks: readonly string[]
  readonly description?: string | undefined
  readonly definition: object
}

export const runList = (words: readonly (string | undefined)[], options: ListOptions, io: Io): Promise<void> =>
  printOutcome(options.json, io, () => list(words, options, io))

async function list(words: readonly (string | undefined)[], options: ListOptions, io: Io): Promise<void> {
  const { url, pattern } = readWords(words.filter(word => word !== undefined))
  const target = resolveTarget(url, options)
  const kind = options.resources ? 'resources' : options.prompts ? 'prompts' : 'tools'
  const rows = await runInterruptible(async signal => {
    const connection = await connect(target, { signal })
    try {
      return await readRows(connection.client, kind, { signal, timeout: target.timeoutMs })
    } catch (error) {
      throw explainFailure(error, connection.url, target)
    } finally {
      await disconnect(connection)
    }
  })
  const isWanted = pattern === undefined ? () => true : picomatch(pattern, { dot: true, bash: true })
  const wanted = rows.filter(({ name }) => isWanted(name))
  const isNone = pattern !== undefined && rows.length > 0 && wanted.length === 0
  if (isNone) throw new CommandError(`no ${kind.slice(0, -1)} matches ${pattern}; there are ${rows.length} others`)
  if (options.json) io.printJson(wanted.map(({ definition }) => definition))
  else if (wanted.length > 0) io.print(wanted.map(row => formatRow(row, io)).join('\n'))
  if (wanted.length === 0) io.note(`The server has no ${kind} for this caller.`)
}

function readWords([first, second]: readonly string[]): { url?: string | undefined; pattern?: string | undefined } {
  if (first === undefined || isServer(first)) return { url: first, pattern: second }
  // `example.com:8080 'get_*'`: the first of two words is the URL, whatever it looks like.
  if (second !== undefined) return { url: first, pattern: second }
  if (/[./:]/.test(first) && !/[*?[{]/.test(first)) return { url: first }
  return { pattern: first }
}

type Reader = (client: Client, options: RequestOptions) => Promise<readonly Row[]>

const READERS: Readonly<Record<Kind, Reader>> = {
  tools: async (client, options) => (await client.listTools(undefined, options)).tools.map(toToolRow),
  resources: async (client, options) => {
    const [{ resources }, { resourceTemplates }] = await Promise.all([
      client.listResources(undefined, options),
      client.listResourceTemplates(undefined, options).catch(orNoTemplates),
    ])
    return [...resources.map(toResourceRow), ...resourceTemplates.map(toTemplateRow)]
  },
  prompts: async (client, options) => (await client.listPrompts(undefined, options)).prompts.map(toPromptRow),
}

/** A server with resources may lack templates. */
function orNoTemplates(error: unknown) {
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound)
    return { resourceTemplates: [] }
  throw error
}

const readRows = async (client: Client, kind: Kind, options: RequestOptions): Promise<readonly Row[]> =>
  offers(client, kind) ? READERS[kind](client, options) : []

const toToolRow = (tool: Tool): Row => ({
  name: tool.name,
  line: formatSignature(withLocalReferences(tool)),
  marks: listMarks(tool),
  description: tool.description ?? tool.title,
  definition: tool,
})

const toResourceRow = (resource: Resource): Row => ({
  name: resource.uri,
  line: resource.uri,
  marks: resource.mimeType === undefined ? [] : [resource.mimeType],
  description: resource.description ?? resource.title ?? resource.name,
  definition: resource,
})

const toTemplateRow = (template: ResourceTemplateType): Row => ({
  name: template.uriTemplate,
  line: template.uriTemplate,
  marks: ['template', ...(template.mimeType === undefined ? [] : [template.mimeType])],
  description: template.description ?? template.title ?? template.name,
  definition: template,
})

const toPromptRow = (prompt: Prompt): Row => ({
  name: prompt.name,
  line: `${prompt.name}(${(prompt.arguments ?? []).map(({ name, required }) => `${name}${required ? '' : '?'}`).join(', ')})`,
  marks: [],
  description: prompt.description ?? prompt.title,
  definition: prompt,
})

/** Two lines for people on a terminal. In a pipe one line, with tabs between the parts. */
function formatRow({ line, marks, description }: Row, io: Io): string {
  const [signature, sentence] = [toVisibleLine(line), toVisibleLine(firstSentence(description))]
  if (!io.stdout.isTTY) return [signature, marks.map(toVisibleLine).join(' '), sentence].join('\t').trimEnd()
  const [head, tail] = splitName(signature)
  const notes = marks.map(mark => ` ${io.paint('yellow', `[${toVisibleLine(mark)}]`)}`).join('')
  const below = sentence === '' ? '' : `\n    ${io.paint('dim', sentence)}`
  return `${io.paint('bold', head)}${tail}${notes}${below}`
}

function splitName(signature: string): [name: string, rest: string] {
  const end = signature.indexOf('(')
  return end === -1 ? [signature, ''] : [signature.slice(0, end), signature.slice(end)]
}
