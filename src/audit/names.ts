// Names that clients made up, as an audit may hold them: one short line each, without secrets.
import type { Mask } from '../execution/mask.ts'
import { cleanText } from '../registry/clean.ts'

export type CleanName = (raw: string, maxLength?: number) => string

const MAX_NAME = 128
/** Longer names are cut before they are searched; a token may be longer than the name that is kept. */
const MAX_RAW = 2000
/** Most names come again and again; what was made of one is kept. */
const MAX_KEPT = 1000

/** @param mask takes secrets out */
export function nameCleaner(mask: Mask): CleanName {
  const kept = new Map<string, string>()
  const clean = (raw: string, maxLength: number) => {
    const oneLine = cleanText(raw.slice(0, MAX_RAW)).replace(/[\s\u2028\u2029\p{Cf}]+/gu, ' ')
    return cut(mask(oneLine), maxLength)
  }
  return (raw, maxLength = MAX_NAME) => {
    if (raw.length > MAX_NAME || maxLength !== MAX_NAME) return clean(raw, maxLength)
    let name = kept.get(raw)
    if (name !== undefined) return name
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(raw, (name = clean(raw, maxLength)))
    return name
  }
}

const cut = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
