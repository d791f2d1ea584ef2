// The mark by which a repeated call finds its issue: an HTML comment at the end of its body.
import { createHash } from 'node:crypto'

const START = '<!-- toolrack-issue '

export interface Mark {
  /** Digest of the caller, the repository and the idempotency key. */
  readonly key: string
  /** Digest of the content: the same key with other content is an error of the caller. */
  readonly content: string
}

/** Adds the mark to a body. Marks that the body contains are broken, so that none is found. */
export function marked(body: string, { key, content }: Mark): string {
  const own = body === '' ? '' : `${body.replaceAll(START, '<!- toolrack-issue ')}\n\n`
  return `${own}${START}${key} ${content} -->`
}

/** Finds the mark with this key in the body of an issue. */
export function markIn(body: string, key: string): Mark | undefined {
  const start = body.lastIndexOf(`${START}${key} `)
  if (start < 0) return undefined
  const [content = ''] = body.slice(start + START.length + key.length + 1).split(' ', 1)
  return { key, content }
}

/** Hashes the values to 32 hexadecimal digits. */
export function digestOf(...values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)
}
