// Files that settings name, read whole at the start. Errors name the expected form, not the path.
import { type BoundedFile, readBoundedFile } from '../auth/bounded-file.ts'
import { readUtf8 } from '../text/utf8.ts'

/** @throws Error that names the expected form */
export function readSettingFile(path: string, maxBytes: number): Buffer {
  const read = readIfFile(path, maxBytes)
  if (read === undefined) throw new Error('expected a file')
  if (read.bytes.length > maxBytes) throw new Error(`expected a file of at most ${maxBytes / 1024} KiB`)
  return read.bytes
}

function readIfFile(path: string, maxBytes: number): BoundedFile | undefined {
  try {
    return readBoundedFile(path, maxBytes)
  } catch (error) {
    throw new Error(`expected the path of a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** The text without the newline at its end. @throws Error that names the expected form */
export function decodeText(bytes: Buffer): string {
  const text = readUtf8(bytes)
  if (text === undefined) throw new Error('expected a file of text in UTF-8')
  return text.replace(/\r?\n$/, '')
}
