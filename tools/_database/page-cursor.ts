// The cursor argument: the position at which a query continues. It holds no secret; a digest binds
// it to its query and database.
import { createHash } from 'node:crypto'
import { ToolError } from 'toolrack'

const SHAPE = /^(\d{1,9})\.([A-Za-z0-9_-]{22})$/

export interface Asked {
  readonly query: string
  readonly database: string
}

export function cursorAt(offset: number, asked: Asked): string {
  return Buffer.from(`${offset}.${digestOf(offset, asked)}`).toString('base64url')
}

/** @throws ToolError if the cursor belongs to another query */
export function offsetOf(cursor: string | undefined, asked: Asked): number {
  if (cursor === undefined) return 0
  const text = /^[A-Za-z0-9_-]+$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString('latin1') : ''
  const [, offset, digest] = SHAPE.exec(text) ?? []
  if (digest !== undefined && digest === digestOf(Number(offset), asked)) return Number(offset)
  throw new ToolError(
    'This cursor does not belong to this query. Pass the nextCursor of the page before with the very same query and ' +
      'database, or no cursor for the first page.',
  )
}

function digestOf(offset: number, { query, database }: Asked): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([offset, database, query]))
    .digest('base64url')
  return hash.slice(0, 22)
}
