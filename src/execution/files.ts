// Turns the files of a result into blocks. Small files are embedded, unless they are to be links. Other
// files are kept for the caller and linked.
import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../protocol/messages.ts'
import { embeddedResource, resourceLink } from '../registry/content.ts'
import { type FileContent, mapFiles } from '../registry/file-content.ts'
import { createFileUri } from '../registry/file-uri.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import { FILE_BOUNDS, type FileStore, type KeptFile } from '../state/files.ts'
import { cleanText } from '../text/clean.ts'
import { invalidResult, isWholeResult } from './normalise.ts'
import { inMiB, readFile } from './read-file.ts'
import { ToolFailure } from './tool-failure.ts'

/** Larger files are linked, bytes: models pay for embedded ones. */
export const MAX_EMBEDDED_BYTES = 64 * 1024
const ID_BYTES = 16

/**
 * @throws ToolFailure `invalid_output` for a file that cannot be sent, `tool_error` for one that was
 *   removed at once; the error of its stream; McpError STATE_UNAVAILABLE (503)
 */
export async function keepFiles(tool: Tool, exchange: Exchange, returned: unknown, store: FileStore): Promise<unknown> {
  // The value itself is the structured content; `sanitise` refuses a file there.
  if (tool.output !== undefined && !isWholeResult(returned, true)) return returned
  const { signal } = exchange.cancellation
  const refuse = (text: string) => invalidResult(tool, text)
  let linkedBytes = 0
  return mapFiles(returned, async file => {
    const bytes = await readFile(file, signal, refuse)
    if (bytes.byteLength <= MAX_EMBEDDED_BYTES && !file.isLink) return embed(tool, file, bytes)
    linkedBytes += bytes.byteLength
    // The later files would take the place of the first ones.
    if (linkedBytes > FILE_BOUNDS.maxOfOwner) throw refuse(`its files are larger than ${inMiB(FILE_BOUNDS.maxOfOwner)}`)
    return link(tool, exchange, store, { name: file.name, mimeType: file.mimeType, bytes })
  })
}

async function link(
  tool: Tool,
  { owner, clientKey }: Exchange,
  store: FileStore,
  { name, mimeType, bytes }: Omit<KeptFile, 'owner'>,
): Promise<unknown> {
  const id = randomBytes(ID_BYTES).toString('base64url')
  const isKept = await store.put(id, owner ?? clientKey, { owner, name, mimeType, bytes })
  if (!isKept)
    throw new ToolFailure('tool_error', `${tool.name}: newer files took the room of ${name}; call again later`)
  const description = 'Can be read for one hour, by the caller of the tool.'
  return resourceLink({ uri: createFileUri(id, name), name, mimeType, size: bytes.byteLength, description })
}

function embed(tool: Tool, { name, mimeType }: FileContent, bytes: Uint8Array): unknown {
  const uri = `attachment:///${encodeURIComponent(name)}`
  const text = decodeText(mimeType, bytes)
  // A file must arrive unchanged: if sanitising would change the text, it is sent as bytes.
  const isText = text !== undefined && (!tool.sanitizes || cleanText(text) === text)
  return embeddedResource({ uri, mimeType, ...(isText ? { text } : { blob: bytes }) })
}

const TEXT = /^text\/|[/+](?:json|xml|yaml|javascript|csv)(?:;|$)/

/** Text if the bytes are text, else Base64. */
export function toContents(
  mimeType: string,
  bytes: Uint8Array,
): { mimeType: string } & JsonObject & ({ text: string } | { blob: string }) {
  const text = decodeText(mimeType, bytes)
  if (text !== undefined) return { mimeType, text }
  return { mimeType, blob: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
}

function decodeText(mimeType: string, bytes: Uint8Array): string | undefined {
  if (!TEXT.test(mimeType)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
