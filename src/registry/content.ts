// The content blocks that a tool can return, and ToolError.

import { createIssueFinder, type IssueFinder } from '@toolrack/json-schema/validator'
import { BLOCK_TYPES, BLOCKS, type BlockOf } from '../protocol/blocks.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { META_RELATED_TASK, META_SERVER, pickKnown, TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import { type Annotations, ResourceContents } from '../protocol/schemas/contents.ts'

/** Members that any block may have. */
export interface BlockExtras {
  annotations?: Annotations
  _meta?: Record<string, unknown>
}

type Bytes = Uint8Array | ArrayBuffer

/** A text block. */
export function text(value: string, extras: BlockExtras = {}): BlockOf<'text'> {
  return { type: 'text', text: value, ...extras }
}

/** An image block. @param mimeType `image/…` */
export function image(bytes: Bytes, mimeType: string, extras: BlockExtras = {}): BlockOf<'image'> {
  return { type: 'image', data: base64(bytes), mimeType, ...extras }
}

/** An audio block. @param mimeType `audio/…` */
export function audio(bytes: Bytes, mimeType: string, extras: BlockExtras = {}): BlockOf<'audio'> {
  return { type: 'audio', data: base64(bytes), mimeType, ...extras }
}

/** A link that the client may read later. Spec 2026-07-28: server/tools, "Resource Links". */
export function resourceLink(link: Omit<BlockOf<'resource_link'>, 'type'>): BlockOf<'resource_link'> {
  return { type: 'resource_link', ...link }
}

/** A resource within the result: `{ uri, text }`, or `{ uri, blob }` with bytes. */
export function embeddedResource(
  resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: Bytes | string }),
  extras: BlockExtras = {},
): BlockOf<'resource'> {
  return { type: 'resource', resource: withBase64(resource), ...extras }
}

export function withBase64(resource: {
  uri: string
  mimeType?: string
  text?: string
  blob?: Bytes | string
}): ResourceContents {
  const { blob, ...rest } = resource
  if (blob === undefined) return rest as ResourceContents
  return { ...rest, blob: typeof blob === 'string' ? blob : base64(blob) } as ResourceContents
}

function base64(bytes: Bytes): string {
  const view = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes)
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64')
}

/** An error whose text is for the model. `ERROR_MESSAGES=tool-errors` masks every other error. */
export class ToolError extends Error {
  override name = 'ToolError'
}

const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)
const RESERVED = /^[^./]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//i

/** Reserved keys that a server may use: the specification or an official extension defines them. */
const DEFINED = new Set([
  META_SERVER,
  META_RELATED_TASK,
  TASKS_EXTENSION,
  'io.modelcontextprotocol/model-immediate-response',
  'io.modelcontextprotocol/ui',
])

/** Path of the first invalid key in `_meta`, and why. Spec 2026-07-28: basic/index, "_meta". */
export function findMetaIssue(meta: unknown): string | undefined {
  if (!isObject(meta)) return undefined
  for (const key of Object.keys(meta)) {
    const fault = findKeyIssue(key)
    if (fault !== undefined) return `_meta[${JSON.stringify(key.slice(0, 100))}] ${fault}`
  }
  return undefined
}

function findKeyIssue(key: string): string | undefined {
  if (!KEY.test(key)) return 'must be a name of letters, digits and inner "._-", or such a name behind "example.com/"'
  return RESERVED.test(key) && !DEFINED.has(key) ? 'is reserved for MCP' : undefined
}

const blockIssueFinders = new Map<unknown, IssueFinder>(
  BLOCK_TYPES.map(type => [type, createIssueFinder(BLOCKS[type].schema)]),
)
const findIssueOfContents = createIssueFinder(ResourceContents)

/** The issue as the rest of a path; undefined if the block is valid. Spec 2026-07-28: schema. */
export function findBlockIssue(block: unknown): string | undefined {
  const findIssue = isObject(block) ? blockIssueFinders.get(block['type']) : undefined
  if (findIssue === undefined) return `.type must be one of ${BLOCK_TYPES.join(', ')}`
  return findIssue(block, '') ?? findNestedIssue(block as JsonObject)
}

/** Like `findBlockIssue`, for one of a resource's contents. */
export const findContentsIssue = (contents: unknown): string | undefined =>
  findIssueOfContents(contents, '') ?? findNestedIssue(contents as JsonObject)

export const toKnownContents = (contents: unknown): unknown => pickKnown(ResourceContents, contents)

// Checks what the schemas do not: Base64 length and `_meta` keys, also of a nested resource.
function findNestedIssue(part: JsonObject): string | undefined {
  for (const member of ['data', 'blob'] as const) {
    const data = part[member]
    if (typeof data === 'string' && data.length % 4 !== 0)
      return `.${member} is not Base64: its length must be a multiple of 4`
  }
  const metaFault = findMetaIssue(part['_meta'])
  if (metaFault !== undefined) return `.${metaFault}`
  const fault = isObject(part['resource']) ? findNestedIssue(part['resource']) : undefined
  return fault && `.resource${fault}`
}
