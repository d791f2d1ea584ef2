// Sealed strings: opaque to clients and tamper-proof (AES-256-GCM, one key per purpose).
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type Purpose = 'request-state' | 'cursor' | 'confirmation' | 'session'

/** How many former secrets still open strings, in addition to the previous one. */
export const MAX_FORMER_SECRETS = 3

const IV_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

class Keyring {
  readonly secret: string
  readonly #keys = new Map<Purpose, Buffer>()

  constructor(secret: string) {
    this.secret = secret
  }

  getKey(purpose: Purpose): Buffer {
    let key = this.#keys.get(purpose)
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', this.secret, '', `toolrack ${purpose}`, 32))
      this.#keys.set(purpose, key)
    }
    return key
  }
}

export class Seal {
  /** The first seals; all open. */
  #keyrings: readonly Keyring[]
  #generation = 0
  readonly #previous: string | undefined

  /**
   * @param secret undefined: a random one for the life of the process
   * @param previous secret; strings sealed with it still open
   */
  constructor(secret: string | undefined, previous?: string) {
    const secrets = [secret ?? randomBytes(32).toString('base64url'), previous]
    this.#keyrings = secrets.filter(known => known !== undefined).map(known => new Keyring(known))
    this.#previous = previous
  }

  /** Grows when another secret seals: values that contain sealed strings have to be made again. */
  get generation(): number {
    return this.#generation
  }

  /**
   * Seals with this secret from now on; strings of the latest former secrets still open.
   * @param other another secret that opens
   */
  adopt(secret: string, other?: string): void {
    if (secret !== this.#keyrings[0]!.secret) this.#generation++
    const known = new Map(this.#keyrings.map(keyring => [keyring.secret, keyring]))
    const own = [...known.keys()].filter(each => each !== this.#previous)
    const wanted = other === undefined ? [secret, ...own] : [secret, other, ...own]
    const latest = [...new Set(wanted)].slice(0, 1 + MAX_FORMER_SECRETS)
    const secrets = this.#previous === undefined ? latest : new Set([...latest, this.#previous])
    this.#keyrings = [...secrets].map(each => known.get(each) ?? new Keyring(each))
  }

  seal(purpose: Purpose, payload: unknown): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#keyrings[0]!.getKey(purpose), iv)
    const sealed = Buffer.concat([cipher.update(JSON.stringify(payload), 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** @returns undefined unless `seal` made exactly this string for this purpose */
  open(purpose: Purpose, sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url')
    // Node's decoder skips unknown characters; accept the canonical encoding only.
    if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined
    for (const keyring of this.#keyrings) {
      const text = openWith(keyring.getKey(purpose), bytes)
      if (text !== undefined) return JSON.parse(text)
    }
    return undefined
  }
}

function openWith(key: Buffer, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined // wrong tag: not ours, changed, or sealed with another secret
  }
}
