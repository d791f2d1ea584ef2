// The hash of a JSON value. The order of members does not matter, since a client that repeats its
// arguments may change it.
import { createHash } from 'node:crypto'
import stringify from 'safe-stable-stringify'

/** SHA-256, base64url. */
export const hashJson = (value: unknown): string =>
  createHash('sha256')
    .update(stringify(value) ?? '')
    .digest('base64url')
