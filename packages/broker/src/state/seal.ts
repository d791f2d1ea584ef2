// Seals a text for the store. A reader of the store cannot read it, and cannot move it to another
// entry. AES-256-GCM, with keys derived from the signing keys.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { KeySet } from '../keys.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Seal {
  /** @param of the entry that contains it */
  seal(text: string, of: string): string
  /** @returns undefined if it belongs to another entry, or its key is gone */
  open(sealed: string, of: string): string | undefined
}

export function createSeal(keys: KeySet): Seal {
  const secrets = keys.map(({ d }) => Buffer.from(hkdfSync('sha256', d, '', 'toolrack-broker seal', 32)))
  return {
    seal(text, of) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', secrets[0]!, nonce).setAAD(Buffer.from(of))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    },
    open(sealed, of) {
      const bytes = Buffer.from(sealed, 'base64')
      return secrets.map(secret => open(bytes, secret, of)).find(text => text !== undefined)
    },
  }
}

function open(bytes: Buffer, secret: Buffer, of: string): string | undefined {
  try {
    const cipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE_BYTES))
    cipher.setAAD(Buffer.from(of)).setAuthTag(bytes.subarray(-TAG_BYTES))
    return cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
  } catch {
    return undefined
  }
}
