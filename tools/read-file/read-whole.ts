// Reads a whole file as the contents of a resource, or throws an error that says how to read parts.
import { ToolError } from 'toolrack'
import { readBytes } from '../_files/bytes.ts'
import { decoderOf, HEAD_BYTES, kindOf, UNKNOWN } from '../_files/kind.ts'
import type { OpenFile } from '../_files/open-file.ts'

/** As base64, this still fits into a result of 4 MiB. */
export const MAX_WHOLE_BYTES = 3_000_000

type Contents = { uri: string; mimeType: string } & ({ text: string } | { blob: string })

export async function readWhole({ handle, stats }: OpenFile, uri: string): Promise<Contents> {
  if (stats.size > MAX_WHOLE_BYTES) {
    throw new ToolError(
      `The file has ${stats.size} bytes, more than ${MAX_WHOLE_BYTES}. Call read_file with offset and length.`,
    )
  }
  const bytes = await readBytes(handle, 0, stats.size)
  const kind = await kindOf(bytes.subarray(0, HEAD_BYTES))
  const blob = { uri, mimeType: kind.type === 'text' ? UNKNOWN : kind.mimeType, blob: '' }
  if (kind.type !== 'text') return { ...blob, blob: bytes.toString('base64') }
  try {
    return { uri, mimeType: kind.mimeType, text: decoderOf(kind.encoding).decode(bytes) }
  } catch {
    return { ...blob, blob: bytes.toString('base64') }
  }
}
