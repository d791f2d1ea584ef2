// Prints the result of a call: for people its texts and rows, for a pipe the bytes of its only part.
// Saves its files to the place that `--output` names.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ContentBlock, CallToolResult as PlainResult } from 'toolrack'
import { isFileUri } from 'toolrack/definitions'
import { listOwnBlocks, parseWritten, toResultJson } from 'toolrack/plain-results'
import { toText } from 'toolrack/protocol'
import { toVisible, toVisibleLine } from 'toolrack/text'
import type { Io } from '../io.ts'
import { describeFile, formatBytes, readFiles, readLink, toFile } from './files.ts'
import { PrintedError } from './outcome.ts'
import { save } from './output.ts'
import { formatRows } from './rows.ts'
import type { Session } from './session.ts'
import { readWritten } from './written.ts'

export interface ResultOptions {
  /** A file, a folder, or `-` for stdout. */
  readonly output?: string
  readonly json?: boolean
}

type Printer = Pick<Session, 'client' | 'io'>

/** @throws CommandError with the tool's text if the tool has failed */
export async function printResult(
  printer: Printer,
  received: CallToolResult,
  { output, json }: ResultOptions,
): Promise<void> {
  const { io } = printer
  const written = readWritten(received)
  const result = { ...written, content: written.content ?? [] }
  if (result.isError) {
    if (json) io.printJson(result)
    io.note(describeFailure(result.content))
    throw new PrintedError('')
  }
  if (json) printJson(result, io)
  if (output !== undefined) await saveFiles(printer, result, output, json)
  else if (!json) await printParts(printer, result)
}

function describeFailure(content: readonly ContentBlock[]): string {
  const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  return text === '' ? 'the tool has failed without a text' : toVisible(text)
}

const printJson = (result: CallToolResult, io: Io) => io.printJson(parseWritten(toResultJson(result as PlainResult)))

/** Prints files that cannot be saved: perhaps the call cannot be repeated. */
export async function saveFiles(
  { client, io }: Printer,
  result: CallToolResult,
  output: string,
  json = false,
): Promise<void> {
  const files = await readFiles(client, result.content).catch(error => printInstead(error))
  if (files.length === 0) {
    if (!json) printTexts(result, io)
    throw new PrintedError('the result has no image, audio or file to save; it is printed instead')
  }
  const paths = await save(files, output, io).catch(error => printInstead(error))
  if (!json && output !== '-') printTexts(result, io)
  for (const path of paths) io.note(`saved ${toVisibleLine(path)}`)

  function printInstead(error: unknown): never {
    if (!json) printJson(result, io)
    throw new PrintedError(`could not save the result: ${(error as Error).message}; it is printed as JSON instead`)
  }
}

interface PartsOptions {
  /** Whether stdout gets nothing else. */
  readonly isAlone?: boolean
  /** How to get a file that a terminal cannot show. */
  readonly hint?: string
}

export async function printParts(
  { client, io }: Printer,
  result: CallToolResult,
  { isAlone = true, hint = '--output FILE saves it' }: PartsOptions = {},
): Promise<void> {
  const [only, ...others] = listOwnBlocks(result as PlainResult)
  if (isAlone && !io.stdout.isTTY && only !== undefined && others.length === 0) {
    const bytes = await readBytes({ client, io }, only)
    if (bytes !== undefined) return void io.stdout.write(bytes)
  }
  printTexts(result, io)
  for (const block of result.content) {
    const file = toText(block) === undefined ? toFile(block) : undefined
    if (file !== undefined) io.note(describeFile(file, hint))
  }
}

/** @returns undefined for links, except those to files that the server keeps */
async function readBytes({ client }: Printer, block: ContentBlock): Promise<Buffer | undefined> {
  if (block.type === 'text') return Buffer.from(block.text)
  if (block.type !== 'resource_link') return toFile(block)?.bytes
  if (!isFileUri(block.uri)) return undefined
  const files = await readLink(client, block).catch(() => [])
  return files.length === 1 ? files[0]!.bytes : undefined
}

/** Prints the structure last, and only once: the content may have the same JSON, or just a summary. */
function printTexts(result: CallToolResult, io: Io): void {
  const { structuredContent } = result
  for (const block of listOwnBlocks(result as PlainResult)) {
    const text = toShownText(block)
    const table = block.type === 'text' && io.stdout.isTTY ? formatJsonText(block.text, io) : undefined
    if (text !== undefined) io.print(table ?? (io.stdout.isTTY ? toVisible(text) : text))
  }
  if (structuredContent !== undefined) io.print(formatStructure(structuredContent, io))
}

function formatStructure(value: unknown, io: Io): string {
  if (!io.stdout.isTTY) return JSON.stringify(value)
  return formatIfRows(value, io) ?? toVisible(JSON.stringify(value, undefined, 2))
}

const formatIfRows = (value: unknown, { stdout, paint }: Io) =>
  formatRows(value, stdout.columns || DEFAULT_COLUMNS, text => paint('bold', text))

const DEFAULT_COLUMNS = 80

/** The rows of a tool that returns them as text. */
function formatJsonText(text: string, io: Io): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return formatIfRows(parseWritten(text), io)
  } catch {
    return undefined
  }
}

function toShownText(block: ContentBlock): string | undefined {
  if (block.type !== 'resource_link') return toText(block)
  const notes = [block.mimeType, block.size === undefined ? undefined : formatBytes(block.size)].filter(Boolean)
  return `${block.title ?? block.name}: ${block.uri}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}
