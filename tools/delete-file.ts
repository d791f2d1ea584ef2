import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { defineTool, ToolError, Type } from 'toolrack'
import { canConfirm, confirm } from './_confirm.ts'
import { MAX_PATH_LENGTH } from './_files/path.ts'
import { findFile, removeFile } from './_files/remove.ts'

export default defineTool({
  name: 'delete_file',
  title: 'Delete File',
  description:
    'Deletes a file in the files folder of the server, once the user has confirmed it. Folders stay. If the client cannot ask ' +
    'the user, ask yourself, and only on a clear yes call again with confirmed, the size and time that list_files shows. ' +
    'Example: { "path": "notes/todo.txt" } gives { "path": "notes/todo.txt", "deleted": true }.',
  inputSchema: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        maxLength: MAX_PATH_LENGTH,
        description: 'Relative to the files folder, such as "notes/todo.txt"',
      }),
      confirmed: Type.Optional(
        Type.Object(
          { size: Type.Integer({ minimum: 0 }), modified: Type.String({ minLength: 1, maxLength: 40 }) },
          {
            additionalProperties: false,
            description:
              'The very file that the user has agreed to lose, as list_files shows it; a client that can ask asks',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    path: Type.String(),
    deleted: Type.Boolean(),
    reason: Type.Optional(
      Type.Unsafe<'not_found' | 'declined'>({
        type: 'string',
        enum: ['not_found', 'declined'],
        description: 'Why nothing was deleted: there is no such file, or the user did not confirm it',
      }),
    ),
  }),
  annotations: {
    title: 'Delete File',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  requires: ['FILES_DIR'],
  scopes: ['files:write'],
  rateLimit: { max: 60, timeWindow: '1 minute' },
  concurrency: 8,
  async handler({ path, confirmed }, ctx) {
    const found = await findFile(path)
    if (found === undefined) return { path, deleted: false, reason: 'not_found' as const }
    if (confirmed !== undefined && !canConfirm(ctx)) {
      if (!isAs(found, confirmed)) throw changed(path, found)
    } else {
      const isConfirmed = await confirm(ctx, keyOf(found), questionOf(path, found))
      if (!isConfirmed) return { path, deleted: false, reason: 'declined' as const }
    }
    await removeFile(path, found)
    return { path, deleted: true }
  },
})

// The question is about this very file: if another file takes its place, the user is asked again.
function keyOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `delete-${createHash('sha256').update([dev, ino, size, mtimeNs].join()).digest('base64url')}`
}

// The user agreed to this file as it was then; only a model that has read it knows its values.
const isAs = (found: BigIntStats, { size, modified }: { size: number; modified: string }): boolean =>
  // Nanoseconds and milliseconds are rounded differently.
  found.size === BigInt(size) && Math.abs(found.mtime.getTime() - Date.parse(modified)) <= 1

const changed = (path: string, { size, mtime }: BigIntStats): ToolError =>
  new ToolError(
    `${JSON.stringify(path)} is not the file that was confirmed: it has ${size} bytes, modified ${mtime.toISOString()}. ` +
      'Nothing was deleted. Ask the user again about this file.',
  )

function questionOf(path: string, { size, mtime }: BigIntStats): string {
  return `Delete ${JSON.stringify(path)} (${size} bytes, modified ${mtime.toISOString()})? It cannot be undone.`
}
