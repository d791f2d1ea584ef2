// Cleans names that clients chose, for the audit and the recent calls: one line, masked, shortened.
import type { Mask } from '../execution/mask.ts'
import { cleanText } from '../registry/clean-text.ts'
import { cutText } from '../text/one-line.ts'

export type CleanName = (raw: string, maxLength?: number) => string

const MAX_LENGTH = 128
export const MAX_URI_LENGTH = 500
/** Raw characters that are masked: a secret may be longer than the name that is kept. */
const MAX_RAW = 2000
/** Cached clean names. */
const MAX_KEPT = 1000

export function createNameCleaner(mask: Mask): CleanName {
  const kept = new Map<string, string>()
  const clean = (raw: string, maxLength: number) => {
    const oneLine = cleanText(raw.slice(0, MAX_RAW)).replace(/[\s\p{Cf}]+/gu, ' ')
    return cutText(mask(oneLine), maxLength)
  }
  return (raw, maxLength = MAX_LENGTH) => {
    if (raw.length > MAX_LENGTH || maxLength !== MAX_LENGTH) return clean(raw, maxLength)
    let name = kept.get(raw)
    if (name !== undefined) return name
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(raw, (name = clean(raw, maxLength)))
    return name
  }
}

/** Enough to tell tasks apart, but not to read one: without tokens, an id alone grants access. */
const SHOWN_OF_TASK_ID = 8

export const shortenTaskId = (taskId: string) => taskId.slice(0, SHOWN_OF_TASK_ID)
