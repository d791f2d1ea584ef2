// Sealed strings: what the server hands out and wants back unread and unchanged (AES-256-GCM, one key per purpose).
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type Purpose = 'request-state' | 'cursor'

const IV_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

export class Seal {
  readonly #secret: string
  readonly #keys = new Map<Purpose, Buffer>()

  /** @param secret undefined: a random one for the life of this process */
  constructor(secret: string | undefined) {
    this.#secret = secret ?? randomBytes(32).toString('base64url')
  }

  seal(purpose: Purpose, payload: unknown): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#keyFor(purpose), iv)
    const sealed = Buffer.concat([cipher.update(JSON.stringify(payload), 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** The payload, or undefined where the string is not exactly one that `seal` made for this purpose. */
  open(purpose: Purpose, sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url')
    // Node's decoder skips what it does not know, so only the string that it would write again may pass.
    if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined
    const decipher = createDecipheriv(ALGORITHM, this.#keyFor(purpose), bytes.subarray(0, IV_BYTES))
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      return JSON.parse(text)
    } catch {
      return undefined // the tag does not fit: not ours, or changed
    }
  }

  #keyFor(purpose: Purpose): Buffer {
    let key = this.#keys.get(purpose)
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', this.#secret, '', `toolrack ${purpose}`, 32))
      this.#keys.set(purpose, key)
    }
    return key
  }
}
