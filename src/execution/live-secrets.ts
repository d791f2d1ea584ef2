// Secrets that come and go while the server runs, such as tokens that tools got for other services.
// Masks hide them in the texts of errors and in logs.
import { ExpiringMap } from '../auth/expiring-map.ts'

const BOUNDS = { maxEntries: 10_000, maxSize: 16 * 1024 * 1024 }
/** Secrets are found by their end: many have the same start, as tokens of one issuer do. */
const END_LENGTH = 12

/** Masked secrets with the same end; if there are more, the oldest are not masked. */
const MAX_ALIKE = 64

/** Masked secrets of files; if there are more, the oldest are not masked. */
export const MAX_KEPT = 256

export class LiveSecrets {
  /** Secrets of files that were read since the start. Tokens do not replace them. */
  kept: readonly string[] = []
  /** By their last characters. */
  readonly #secrets = new ExpiringMap<readonly string[]>(BOUNDS)
  #longest = 0

  /** Length of the longest so far, characters. */
  get longest(): number {
    return this.#longest
  }

  keep(secret: string): void {
    if (!this.kept.includes(secret)) this.kept = [...this.kept, secret].slice(-MAX_KEPT)
  }

  /** @param untilMs Unix time, ms, when the secret ends */
  add(secret: string, untilMs: number): void {
    if (secret.length < END_LENGTH || untilMs <= Date.now()) return
    const end = secret.slice(-END_LENGTH)
    const others = (this.#secrets.get(end) ?? []).filter(other => other !== secret)
    const alike = [...others.slice(1 - MAX_ALIKE), secret]
    this.#secrets.set(end, alike, { size: alike.join('').length, untilMs })
    this.#longest = Math.max(this.#longest, secret.length)
  }

  /** Takes linear time, however many secrets there are. */
  replaceIn(text: string, replacement: string): string {
    if (this.#secrets.count === 0) return text
    let replaced = ''
    let from = 0
    for (let end = END_LENGTH; end <= text.length; end++) {
      const alike = this.#secrets.get(text.slice(end - END_LENGTH, end))
      const ending = alike?.filter(each => end - each.length >= from && text.endsWith(each, end))
      const secret = ending?.sort((one, other) => other.length - one.length)[0]
      if (secret === undefined) continue
      replaced += text.slice(from, end - secret.length) + replacement
      from = end
    }
    return replaced + text.slice(from)
  }
}
