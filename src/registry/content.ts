// What a tool hands over beside plain values: content blocks, and the error whose text is meant for
// the model.
import type { Annotations, ContentBlock, ResourceContents } from '../protocol/schemas/results.ts'

type Block<T extends ContentBlock['type']> = Extract<ContentBlock, { type: T }>
type Extras = { annotations?: Annotations; _meta?: Record<string, unknown> }
type Bytes = Uint8Array | ArrayBuffer

/** A text block. */
export function text(value: string, extras: Extras = {}): Block<'text'> {
  return { type: 'text', text: value, ...extras }
}

/** An image block. @param mimeType `image/…` */
export function image(bytes: Bytes, mimeType: string, extras: Extras = {}): Block<'image'> {
  return { type: 'image', data: base64(bytes), mimeType, ...extras }
}

/** An audio block. @param mimeType `audio/…` */
export function audio(bytes: Bytes, mimeType: string, extras: Extras = {}): Block<'audio'> {
  return { type: 'audio', data: base64(bytes), mimeType, ...extras }
}

/**
 * A link to a resource that the client may read later. Spec 2026-07-28: server/tools, "Resource
 * Links".
 */
export function resourceLink(link: Omit<Block<'resource_link'>, 'type'>): Block<'resource_link'> {
  return { type: 'resource_link', ...link }
}

/** A resource within the result: `{ uri, text }`, or `{ uri, blob }` with bytes. */
export function embeddedResource(
  resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: Bytes | string }),
  extras: Extras = {},
): Block<'resource'> {
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
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64')
}

/**
 * An error whose text is meant for the model: what went wrong and what to do next.
 * It is shown also with `ERROR_MESSAGES=tool-errors`, which masks every other error.
 */
export class ToolError extends Error {
  override name = 'ToolError'
}
