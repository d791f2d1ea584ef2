// Cleans names for the audit, the recent calls and the tenants of metrics: one line, masked, cut. A
// changed name shows that it was changed, so that two identities never look the same.
import { hash } from 'node:crypto'
import type { Mask } from '../execution/mask.ts'
import { cleanText } from '../text/clean.ts'
import { keepText } from '../text/one-line.ts'
import { showName } from '../text/visible.ts'

export interface NameCleaner {
  /** A name that a client has chosen. */
  name(raw: string, maxLength?: number): string
  /** A verified name, such as a subject. If it is masked, it also has its hash. */
  identity(raw: string): string
}

/** Maximum length of the name itself; a hash follows if it is cut. */
const MAX_LENGTH = 128
export const MAX_URI_LENGTH = 500
/** Raw characters that are masked: a secret may be longer than the name that stays. */
const MAX_RAW = 2000
/** Cached clean names. */
const MAX_KEPT = 1000
/** Digits of SHA-256: enough so that nobody can find a second name with the same hash. */
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
    // A secret with hidden characters in it is still a secret.
    const bare = cleanText(head).replace(/[\s\p{Cf}]+/gu, ' ')
    const masked = mask(bare)
    const isMasked = masked !== bare
    // Only as much as is kept: the time to normalise combining marks grows with the square of their
    // number.
    const shown = isMasked ? masked : showName(raw.slice(0, maxLength + 1))
    const cut = keepText(shown, maxLength)
    const isWhole = cut === shown && head === raw && !isMasked && !HASHED.test(raw)
    // From a hash one could guess what a client has sent, such as a short password.
    if (isWhole || (isMasked && !isVerified)) return cut
    return `${cut} sha256:${hashName(raw).slice(0, HASH_DIGITS)}`
  }
}

/** UTF-8 would turn all lone surrogates into the same character. */
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
