// Saves bytes or a text as a file of the user.
import { toFileName } from '../results/files.ts'

/** How long the browser may take to begin reading it, ms. */
const KEPT_MS = 10_000
/**
 * Never the type that a tool claims: if opened from a link, HTML would run as a page of this origin.
 */
const UNKNOWN = 'application/octet-stream'

/** @param content a text, or bytes */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>, type = UNKNOWN): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = toFileName(name)
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
