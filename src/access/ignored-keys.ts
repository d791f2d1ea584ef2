// Names in the log the keys of an issuer that are not used, and why: once for each change of what is ignored.
import type { Log } from '../exchange.ts'
import type { IgnoredKey, ReadKeys } from './jwk.ts'

/** Keys that are named; the others are counted. */
const MAX_NAMED = 20
/** Characters of what a key says of itself. */
const MAX_TEXT = 64

export class IgnoredKeys {
  readonly #log: Log
  readonly #mask: (text: string) => string
  #last = '[]'

  /** @param mask takes out of a text what the log must not have */
  constructor(log: Log, mask: (text: string) => string = text => text) {
    this.#log = log
    this.#mask = mask
  }

  note({ keys, ignored }: ReadKeys, url: string): void {
    const named = ignored.slice(0, MAX_NAMED).map(key => this.#named(key))
    const said = JSON.stringify([...(ignored.length > 0 ? [keys.length, ignored.length] : []), ...named])
    if (said === this.#last) return
    this.#last = said
    if (ignored.length === 0) return
    // A key for encryption beside is as it should be; one that was meant for tokens is missed.
    const level = keys.length > 0 && ignored.every(({ isForOtherUse }) => isForOtherUse) ? 'info' : 'warn'
    const more = ignored.length - named.length
    const fields = { url, used: keys.length, ignored: named, ...(more > 0 && { more }) }
    this.#log[level](fields, 'keys of the issuer that are not used')
  }

  #named({ kid, kty, reason }: IgnoredKey): Record<'kid' | 'kty' | 'reason', string> {
    return { kid: this.#shown(kid), kty: this.#shown(kty), reason: this.#tidy(reason) }
  }

  #shown(value: unknown): string {
    if (value === undefined) return 'none'
    return typeof value === 'string' ? this.#tidy(value) : `of type ${typeof value}`
  }

  // What is cut might no longer be known for a secret.
  #tidy(text: string): string {
    const oneLine = this.#mask(text.slice(0, MAX_LOOKED_AT)).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    return oneLine.length > MAX_TEXT ? `${oneLine.slice(0, MAX_TEXT).toWellFormed()}…` : oneLine.toWellFormed()
  }
}

/** Characters that are looked at for secrets. */
const MAX_LOOKED_AT = 1024
