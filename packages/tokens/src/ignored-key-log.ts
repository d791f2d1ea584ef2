// Logs the unused keys of an issuer with reasons, once per change.
import type { Log } from 'toolrack/protocol'
import { cutText, toOneLine } from 'toolrack/text'
import type { IgnoredKey, ParsedJwks } from './parse-jwks.ts'

/** Further keys are only counted. */
const MAX_NAMED = 20
const MAX_SHOWN_TEXT = 64

export class IgnoredKeyLog {
  readonly #log: Log
  readonly #mask: (text: string) => string
  #last = '[]'

  /** @param mask removes secrets from a text */
  constructor(log: Log, mask: (text: string) => string = text => text) {
    this.#log = log
    this.#mask = mask
  }

  log({ keys, ignored }: ParsedJwks, url: string): void {
    const named = ignored.slice(0, MAX_NAMED).map(key => this.#describe(key))
    const said = JSON.stringify([...(ignored.length > 0 ? [keys.length, ignored.length] : []), ...named])
    if (said === this.#last) return
    this.#last = said
    if (ignored.length === 0) return
    // An encryption key is normal; an unused signing key needs attention.
    const level = keys.length > 0 && ignored.every(({ isForOtherUse }) => isForOtherUse) ? 'info' : 'warn'
    const more = ignored.length - named.length
    const fields = { url, used: keys.length, ignored: named, ...(more > 0 && { more }) }
    this.#log[level](fields, 'keys of the issuer that are not used')
  }

  #describe({ kid, kty, reason }: IgnoredKey): Record<'kid' | 'kty' | 'reason', string> {
    return { kid: this.#describeValue(kid), kty: this.#describeValue(kty), reason: this.#toShown(reason) }
  }

  #describeValue(value: unknown): string {
    if (value === undefined) return 'none'
    return typeof value === 'string' ? this.#toShown(value) : `of type ${typeof value}`
  }

  // Mask before cutting: a cut secret would not be recognized.
  #toShown(text: string): string {
    const oneLine = toOneLine(this.#mask(text.slice(0, MAX_LOOKED_AT)))
    return cutText(oneLine.toWellFormed(), MAX_SHOWN_TEXT)
  }
}

const MAX_LOOKED_AT = 1024
