// The files of a result: images, audio, resources and links. Their names are made safe for this
// machine.
import { basename } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import type { ContentBlock } from 'toolrack'
import { type BlockFile, toFile as toBlockFile, toContentsFile } from 'toolrack/protocol'
import { toVisibleLine } from 'toolrack/text'

export interface ResultFile {
  readonly kind: string
  readonly bytes: Buffer
  readonly mimeType: string
  /** Absent if the result has none. */
  readonly name?: string | undefined
}

/** @returns undefined for texts; and for links, which must be read first */
export function toFile(block: ContentBlock): ResultFile | undefined {
  const file = toBlockFile(block)
  if (file === undefined) return undefined
  return file.uri === undefined ? { kind: block.type, ...file } : toNamedFile(file)
}

/** @param name of the link to the file */
export function toNamedFile({ uri = '', mimeType, bytes }: BlockFile, name?: string): ResultFile {
  return { kind: 'file', bytes, mimeType, name: chooseName([name, readLastPart(uri)], mimeType) }
}

/** All files, including linked ones. */
export async function readFiles(client: Client, content: readonly ContentBlock[]): Promise<readonly ResultFile[]> {
  const found: ResultFile[] = []
  for (const block of content) {
    const file = toFile(block)
    if (file !== undefined) found.push(file)
    if (block.type === 'resource_link') found.push(...(await readLink(client, block)))
  }
  return found
}

type Link = Pick<Extract<ContentBlock, { type: 'resource_link' }>, 'uri' | 'name' | 'title'>

export async function readLink(client: Client, { uri, name, title }: Link): Promise<readonly ResultFile[]> {
  const { contents } = await client.readResource({ uri })
  return contents.map(each => toNamedFile(toContentsFile(each), contents.length === 1 ? name || title : undefined))
}

/** @param hint how to get the file */
export const describeFile = ({ kind, bytes, mimeType, name }: ResultFile, hint: string): string =>
  `[${[kind, name].filter(Boolean).join(' ')}, ${toVisibleLine(mimeType)}, ${formatBytes(bytes.length)}; ${hint}]`

export const formatBytes = (count: number): string => `${count.toLocaleString('en')} bytes`

/** The first name with an extension; else the first name with the extension of the type. */
function chooseName(names: readonly (string | undefined)[], mimeType: string): string | undefined {
  const plain = names.flatMap(name => toPlainName(name) ?? [])
  const [first] = plain
  return plain.find(name => /\.[^. ]{1,10}$/.test(name)) ?? (first && `${first}.${toExtension(mimeType)}`)
}

export const createName = ({ kind, mimeType, name }: ResultFile, number: number): string =>
  name ?? `${kind}-${number}.${toExtension(mimeType)}`

function readLastPart(uri: string): string {
  const [path = ''] = uri.split(/[?#]/, 1)
  const last = basename(path.replace(/^[^:/]+:\/*/, ''))
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

const MAX_NAME = 100

/** Removes folders from the name: the server must not choose the folder. */
function toPlainName(text = ''): string | undefined {
  const name = basename(text.toWellFormed().replaceAll('\\', '/'))
    .replace(/[^\p{L}\p{M}\p{N}\w. ()+,@=-]/gu, '_')
    .slice(-MAX_NAME)
    .replace(/^[. ]+|[. ]+$/g, '')
  return name === '' ? undefined : shorten(name.toWellFormed()).replace(RESERVED, '_$&')
}

/** Most file systems allow 255 bytes, and copies add a number. The extension stays. */
const MAX_NAME_BYTES = 200

function shorten(name: string): string {
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? []
  let [characters, free] = ['', MAX_NAME_BYTES - Buffer.byteLength(extension)]
  for (const character of stem) {
    free -= Buffer.byteLength(character)
    if (free < 0) break
    characters += character
  }
  return characters + extension
}

/** Names of devices on Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/octet-stream': 'bin',
}

function toExtension(mimeType: string): string {
  const [type = ''] = mimeType.toLowerCase().split(';', 1)
  return EXTENSIONS[type] ?? /^\w+\/(?:x-)?([a-z\d]{1,8})$/.exec(type)?.[1] ?? 'bin'
}
