// Detects the kind of a file by its content; its name proves nothing.
import { TextDecoder } from 'node:util'

export interface Encoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be'
  /** Length of the byte order mark, in bytes. */
  readonly mark: number
}

export type Kind =
  | { readonly type: 'text'; readonly mimeType: string; readonly encoding: Encoding }
  | { readonly type: 'image' | 'audio' | 'other'; readonly mimeType: string }

/** Bytes from which the kind is detected. */
export const HEAD_BYTES = 64 * 1024
export const UNKNOWN = 'application/octet-stream'

const MARKS: readonly [string, Encoding][] = [
  ['efbbbf', { name: 'utf-8', mark: 3 }],
  ['fffe', { name: 'utf-16le', mark: 2 }],
  ['feff', { name: 'utf-16be', mark: 2 }],
]
const PLAIN: Encoding = { name: 'utf-8', mark: 0 }
// The escape character is allowed: it occurs in logs with colours.
const NOT_TEXT = /[\u0000-\u0007\u000e-\u001a\u001c-\u001f]/

// Types that clients commonly show. Any other type as an image block could end a conversation.
const SHOWN = {
  image: ['apng', 'avif', 'bmp', 'gif', 'jpeg', 'png', 'webp'],
  audio: ['aac', 'aiff', 'flac', 'mp4', 'mpeg', 'ogg', 'wav', 'x-m4a'],
}

/** @param head the first `HEAD_BYTES` of a file, or all of a shorter file */
export async function kindOf(head: Buffer): Promise<Kind> {
  const encoding = encodingOf(head)
  if (encoding !== undefined) return { type: 'text', mimeType: 'text/plain', encoding }
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  // The pictures of an ID3 tag may be longer than the head.
  const [mimeType = UNKNOWN] = (
    found?.mime ?? (head.toString('latin1', 0, 3) === 'ID3' ? 'audio/mpeg' : UNKNOWN)
  ).split(';')
  return { type: shownAs(mimeType), mimeType }
}

function shownAs(mimeType: string): 'image' | 'audio' | 'other' {
  const [type = '', subtype = ''] = mimeType.split('/')
  if (type === 'image' && SHOWN.image.includes(subtype)) return 'image'
  return type === 'audio' && SHOWN.audio.includes(subtype) ? 'audio' : 'other'
}

function encodingOf(head: Buffer): Encoding | undefined {
  const start = head.toString('hex', 0, 3)
  const [, encoding] = MARKS.find(([mark]) => start.startsWith(mark)) ?? ['', PLAIN]
  try {
    // The end of the head may cut a character.
    const text = decoderOf(encoding).decode(head, { stream: head.length >= HEAD_BYTES })
    return NOT_TEXT.test(text) ? undefined : encoding
  } catch {
    return undefined
  }
}

/** Its decoder throws on bytes of another encoding, and drops the byte order mark. */
export function decoderOf({ name }: Encoding): TextDecoder {
  return new TextDecoder(name, { fatal: true })
}
