// Cleans names for the audit, the recent calls and the tenants of metrics: one line, masked, cut.
// A changed name shows it, so that no two identities become one.
import { hash } from 'node:crypto'
import type { Mask } from '../execution/mask.ts'
import { cleanText } from '../text/clean.ts'
import { keepText } from '../text/one-line.ts'
import { showName } from '../text/visible.ts'

export interface NameCleaner {
  /** Of a client's own making. */
  name(raw: string, maxLength?: number): string
  /** Verified, such as a subject: a masked one has its hash, too. */
  identity(raw: string): string
}

/** Characters of the name itself; a hash follows if it is cut. */
const MAX_LENGTH = 128
export const MAX_URI_LENGTH = 500
/** Raw characters that are masked: a secret may be longer than the name that is kept. */
const MAX_RAW = 2000
/** Cached clean names. */
const MAX_KEPT = 1000
/** Of SHA-256: nobody can find a second name with the same. */
const HASH_DIGITS = 32
const HASHED = new RegExp(` sha256:[0-9a-f]{${HASH_DIGITS}}$`)

export function createNameCleaner(mask: Mask): NameCleaner {
  const clean = createCleaning(mask)
  const name = keepResults(raw => clean(raw, MAX_LENGTH, false))
  return {
    name: (raw, maxLength = MAX_LENGTH) => (maxLength === MAX_LENGTH ? name(raw) : clean(raw, maxLength, false)),
    identity: keepResults(raw => clean(raw, MAX_LENGTH, true)),
  }
}

function createCleaning(mask: Mask) {
  return (raw: string, maxLength: number, isVerified: boolean): string => {
    const head = raw.slice(0, MAX_RAW)
    // A secret with hidden characters in it is one, too.
    const bare = cleanText(head).replace(/[\s\p{Cf}]+/gu, ' ')
    const masked = mask(bare)
    const isMasked = masked !== bare
    // No more than is kept, since to normalise marks takes time by the square of their number.
    const shown = isMasked ? masked : showName(raw.slice(0, maxLength + 1))
    const cut = keepText(shown, maxLength)
    const isWhole = cut === shown && head === raw && !isMasked && !HASHED.test(raw)
    // From the hash of what a client sends, such as a short password, one could guess it.
    if (isWhole || (isMasked && !isVerified)) return cut
    return `${cut} sha256:${hashName(raw).slice(0, HASH_DIGITS)}`
  }
}

/** In UTF-8 all lone surrogates would be one. */
const hashName = (raw: string): string => hash('sha256', raw.isWellFormed() ? raw : Buffer.from(raw, 'utf16le'))

/** Keeps the results of short names. */
function keepResults(clean: (raw: string) => string): (raw: string) => string {
  const kept = new Map<string, string>()
  return raw => {
    if (raw.length > MAX_LENGTH) return clean(raw)
    let name = kept.get(raw)
    if (name !== undefined) return name
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(raw, (name = clean(raw)))
    return name
  }
}

/** Enough to tell tasks apart, but not to read one: without tokens, an id alone grants access. */
const SHOWN_OF_TASK_ID = 8

export const shortenTaskId = (taskId: string) => taskId.slice(0, SHOWN_OF_TASK_ID)
