// A part of a result as text for the clipboard, and as a file for download.
import { fromBase64 } from './files.ts'
import type { Part } from './parts.ts'
import { toJson } from './values.ts'

/** @returns undefined if the part has its own buttons: pictures, sound, files and links */
export function toPartText(part: Part): (() => string) | undefined {
  if (part.kind === 'value') return () => part.text ?? toJson(part.value)
  if (part.kind === 'text') return () => part.text
  return part.kind === 'resource' ? toPartText(part.inner) : undefined
}

export interface ResultFile {
  readonly name: string
  readonly data: string | Uint8Array<ArrayBuffer>
}

/** @param fileName without extension @returns undefined for a link, and for data that are not base64 */
export function toFile(part: Part, fileName: string): ResultFile | undefined {
  switch (part.kind) {
    case 'value':
      return { data: part.text ?? toJson(part.value), name: `${fileName}.json` }
    case 'text':
      return { data: part.text, name: `${fileName}.${part.isMarkdown ? 'md' : 'txt'}` }
    case 'resource': {
      const file = toFile(part.inner, fileName)
      return file && { ...file, name: part.uri || file.name }
    }
    case 'link':
      return undefined
    default: {
      const bytes = fromBase64(part.media.data)
      return bytes && { data: bytes, name: part.media.name }
    }
  }
}
