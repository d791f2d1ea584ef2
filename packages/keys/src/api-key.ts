// The text of an API key: `trk_<id>_<secret>`. Each key has only one spelling, which is hashed.
import { hash, randomBytes } from 'node:crypto'
import { API_KEY_PREFIX } from 'toolrack/access'

const ID = /^[a-z0-9]{4,32}$/
const KEY = new RegExp(`^${API_KEY_PREFIX}([a-z0-9]{4,32})_[0-9a-f]{64}$`)
const ID_BYTES = 6
/**
 * 256 bits: nobody can guess such a secret from its hash, so a fast hash is enough. Slow hashes,
 * such as scrypt, are for passwords that people choose.
 */
const SECRET_BYTES = 32

export const isApiKeyId = (id: string): boolean => ID.test(id)

/** The id in a well-formed key. */
export const findApiKeyId = (key: string): string | undefined => KEY.exec(key)?.[1]

export interface NewApiKey {
  readonly id: string
  /** Shown once; only its hash is kept. */
  readonly key: string
}

/** @param isTaken whether another key has the id */
export function generateApiKey(isTaken: (id: string) => boolean): NewApiKey {
  let id: string
  do id = randomBytes(ID_BYTES).toString('hex')
  while (isTaken(id))
  return { id, key: `${API_KEY_PREFIX}${id}_${randomBytes(SECRET_BYTES).toString('hex')}` }
}

/** SHA-256 of the key's text, in hex: `printf %s "$KEY" | sha256sum`. */
export const hashApiKey = (key: string): string => hash('sha256', key)
