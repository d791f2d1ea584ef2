// The mark by which a repeated call finds the issue that it has filed: an HTML comment at the end of the body.
import { createHash } from 'node:crypto'

const START = '<!-- toolrack-issue '

export interface Mark {
  /** Of the caller, the repository and the idempotency key. */
  readonly key: string
  /** Of what was to be filed: the same key with other content is a mistake of the caller's. */
  readonly content: string
}

/** The body with its mark. What the body has of marks of its own is no comment any more, and so none that is found. */
export function marked(body: string, { key, content }: Mark): string {
  const own = body === '' ? '' : `${body.replaceAll(START, '<!- toolrack-issue ')}\n\n`
  return `${own}${START}${key} ${content} -->`
}

/** The mark of an issue, where it has one with this key. */
export function markIn(body: string, key: string): Mark | undefined {
  const start = body.lastIndexOf(`${START}${key} `)
  if (start < 0) return undefined
  const [content = ''] = body.slice(start + START.length + key.length + 1).split(' ', 1)
  return { key, content }
}

/** 32 hexadecimal digits that stand for these values, whatever characters they have. */
export function digestOf(...values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)
}
