// Checks a path before the file system is used: only parts below the files folder that mean the
// same on every system.
import { refused } from './faults.ts'

export interface Target {
  /** The path as the caller wrote it. */
  readonly path: string
  /** Folders from the files folder down to the one that holds the file. */
  readonly folders: readonly string[]
  readonly name: string
}

export const MAX_PATH_LENGTH = 1024
/** Greatest depth of a folder that can be opened or listed. */
export const MAX_DEPTH = 32

const MAX_NAME_BYTES = 255
const URI = 'files:///'
// On Windows, a colon names a drive or a stream.
const FORBIDDEN = /[/\\:\p{Cc}\p{Cs}]/u
// The server removes these characters from results, so no client could name such a file.
const INVISIBLE = /[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i
const TEMPORARY = /^\.toolrack-[0-9a-f-]+\.tmp$/i

/** Reports if a name is allowed: Windows must not take it for another name or for a device. */
export function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false
  if (FORBIDDEN.test(name) || INVISIBLE.test(name) || /[. ]$/.test(name)) return false
  return !DEVICE.test(name) && !TEMPORARY.test(name)
}

/** A file has this name while it is written or removed; no caller can ask for it. */
export const temporaryName = () => `.toolrack-${crypto.randomUUID()}.tmp`

/** @throws ToolError if it is no plain path below the files folder */
export function targetOf(path: string): Target {
  return target(path, path.split('/'))
}

/** Splits the path of a folder; empty for the files folder itself. Throws like `targetOf`. */
export function partsOf(path: string): readonly string[] {
  if (path === '' || path === '.') return []
  const { folders, name } = targetOf(path)
  return [...folders, name]
}

export function uriOf(path: string): string {
  return URI + path.split('/').map(encodeURIComponent).join('/')
}

/** Decodes each part once, so that an encoded slash stays in its part, where it is refused. */
export function targetOfUri(uri: string): Target {
  const encoded = uri.slice(URI.length)
  if (/[?#]/.test(encoded)) throw refused(encoded)
  const parts = encoded.split('/').map(decodeURIComponent)
  return target(parts.join('/'), parts)
}

function target(path: string, parts: readonly string[]): Target {
  const isPlain = path.length <= MAX_PATH_LENGTH && parts.length <= MAX_DEPTH && parts.every(isName)
  if (!isPlain) throw refused(path)
  return { path, folders: parts.slice(0, -1), name: parts.at(-1)! }
}
