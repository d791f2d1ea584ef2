// The hash of a JSON value: the same for the same members in any order, since a client may repeat
// its arguments so.
import { createHash } from 'node:crypto'
import stringify from 'safe-stable-stringify'

/** SHA-256, base64url. */
export const hashJson = (value: unknown): string =>
  createHash('sha256')
    .update(stringify(value) ?? '')
    .digest('base64url')
