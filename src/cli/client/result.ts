// The result of a call: text to stdout, structured results as JSON, binary content into files.
import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CallToolResult, Client, ContentBlock } from '@modelcontextprotocol/client'
import { CommandError } from '../errors.ts'
import type { Io } from '../io.ts'
import { toVisible, toVisibleLine } from './visible.ts'

export interface ResultOptions {
  /** A file, a folder, or `-` for stdout. */
  readonly output?: string
  readonly json?: boolean
}

interface Binary {
  readonly kind: string
  readonly bytes: Buffer
  readonly mimeType: string
  readonly name?: string | undefined
}

/** @throws CommandError with the tool's text if the tool has failed */
export async function printResult(
  client: Client,
  result: CallToolResult,
  { output, json }: ResultOptions,
  io: Io,
): Promise<void> {
  const content = result.content ?? []
  if (json) io.printJson(result.isError ? result : (result.structuredContent ?? result))
  if (result.isError) {
    io.note(describeFailure(content))
    throw new CommandError('')
  }
  const binaries = await findBinaries(client, content, output !== undefined)
  const saved = output === undefined ? [] : await save(binaries, output, io)
  if (json) return
  if (output !== '-') printText(result, content, io)
  if (output === undefined) for (const binary of binaries) io.note(describeBinary(binary))
  for (const file of saved) io.note(`saved ${toVisibleLine(file)}`)
}

function describeFailure(content: readonly ContentBlock[]): string {
  const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  return text === '' ? 'the tool has failed without a text' : toVisible(text)
}

function printText({ structuredContent }: CallToolResult, content: readonly ContentBlock[], io: Io): void {
  const show = io.stdout.isTTY ? toVisible : (text: string) => text
  const texts = content.map(toText).filter(text => text !== undefined)
  // Last, and once: the content may have the same JSON, or only a summary of it.
  for (const text of texts) if (!isJsonOf(text, structuredContent)) io.print(show(text))
  if (structuredContent === undefined) return
  io.print(show(JSON.stringify(structuredContent, undefined, io.stdout.isTTY ? 2 : undefined)))
}

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value)
  } catch {
    return false
  }
}

function toText(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text
  if (block.type === 'resource' && 'text' in block.resource) return block.resource.text
  if (block.type !== 'resource_link') return undefined
  const notes = [block.mimeType, block.size === undefined ? undefined : formatBytes(block.size)].filter(Boolean)
  return `${block.title ?? block.name}: ${block.uri}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}

/** Images, audio and binary resources; linked resources too if they are to be saved. */
async function findBinaries(client: Client, content: readonly ContentBlock[], isSaved: boolean): Promise<Binary[]> {
  const found: Binary[] = []
  for (const block of content) {
    if (block.type === 'image' || block.type === 'audio') {
      found.push({ kind: block.type, bytes: Buffer.from(block.data, 'base64'), mimeType: block.mimeType })
    } else if (block.type === 'resource') {
      const { resource } = block
      if ('blob' in resource || isSaved) found.push(toBinary(resource))
    } else if (block.type === 'resource_link' && isSaved) {
      const { contents } = await client.readResource({ uri: block.uri })
      found.push(...contents.map(toBinary))
    }
  }
  return found
}

function toBinary(resource: { uri: string; mimeType?: string; text?: string; blob?: string }): Binary {
  const { uri, mimeType = resource.blob === undefined ? 'text/plain' : 'application/octet-stream' } = resource
  const bytes = resource.blob === undefined ? Buffer.from(resource.text ?? '') : Buffer.from(resource.blob, 'base64')
  return { kind: 'file', bytes, mimeType, name: toFileName(uri) }
}

const describeBinary = ({ kind, bytes, mimeType, name }: Binary) =>
  `[${kind}${name === undefined ? '' : ` ${name}`}, ${toVisibleLine(mimeType)}, ${formatBytes(bytes.length)}; --output FILE saves it]`

const formatBytes = (count: number) => `${count.toLocaleString('en')} bytes`

/** Only a plain name: the server must not choose the folder. */
function toFileName(uri: string): string | undefined {
  const [path = ''] = uri.split(/[?#]/, 1)
  const name = basename(path)
    .replace(/%20/g, ' ')
    .replace(/[^\w. -]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 100)
  return name === '' ? undefined : name
}

/** @returns the files */
async function save(binaries: readonly Binary[], output: string, io: Io): Promise<readonly string[]> {
  if (binaries.length === 0) throw new CommandError('the result has no image, audio or file to save')
  if (output === '-') return writeToStdout(binaries, io)
  const isFolder = existsSync(output) && statSync(output).isDirectory()
  if (isFolder || /[\\/]$/.test(output)) return saveAll(binaries, output)
  if (binaries.length > 1) throw new CommandError(`the result has ${binaries.length} files; --output FOLDER saves all`)
  await writeFile(output, binaries[0]!.bytes)
  return [output]
}

function writeToStdout([first, ...others]: readonly Binary[], io: Io): readonly string[] {
  if (others.length > 0) throw new CommandError(`the result has ${others.length + 1} files; --output FOLDER saves all`)
  if (io.stdout.isTTY) throw new CommandError('--output - writes bytes, and stdout is a terminal; name a file')
  io.stdout.write(first!.bytes)
  return []
}

async function saveAll(binaries: readonly Binary[], folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) throw new CommandError(`the folder ${folder} is not there; make it first`)
  const files: string[] = []
  for (const [index, { bytes, mimeType, name, kind }] of binaries.entries()) {
    const plain = name ?? `${kind}-${index + 1}.${toExtension(mimeType)}`
    files.push(await writeNew(folder, plain, bytes))
  }
  return files
}

const MAX_TRIES = 1000

/** Never replaces a file: its name is the server's. */
async function writeNew(folder: string, name: string, bytes: Buffer): Promise<string> {
  for (let copy = 0; copy < MAX_TRIES; copy++) {
    const file = join(folder, copy === 0 ? name : name.replace(/(\.[^.]*)?$/, `-${copy}$1`))
    try {
      await writeFile(file, bytes, { flag: 'wx' })
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new CommandError(`${join(folder, name)} is there already, and so are its copies`)
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
  'application/octet-stream': 'bin',
}

const toExtension = (mimeType: string) =>
  EXTENSIONS[mimeType] ?? /^\w+\/(?:x-)?([a-z\d]{1,8})$/.exec(mimeType)?.[1] ?? 'bin'
