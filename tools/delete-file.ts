import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { defineTool, Type } from 'toolrack'
import { confirm } from './_confirm.ts'
import { MAX_PATH_LENGTH } from './_files/path.ts'
import { findFile, removeFile } from './_files/remove.ts'

export default defineTool({
  name: 'delete_file',
  title: 'Delete File',
  description:
    'Deletes a file in the files folder of the server, once the user has confirmed it. Folders stay. ' +
    'Example: { "path": "notes/todo.txt" } gives { "path": "notes/todo.txt", "deleted": true }.',
  inputSchema: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        maxLength: MAX_PATH_LENGTH,
        description: 'Relative to the files folder, such as "notes/todo.txt"',
      }),
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
  async handler({ path }, ctx) {
    const found = await findFile(path)
    if (found === undefined) return { path, deleted: false, reason: 'not_found' as const }
    const isConfirmed = await confirm(ctx, keyOf(found), questionOf(path, found))
    if (!isConfirmed) return { path, deleted: false, reason: 'declined' as const }
    await removeFile(path, found)
    return { path, deleted: true }
  },
})

// The question is about this very file: where another has taken its place since, the user is asked again.
function keyOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `delete-${createHash('sha256').update([dev, ino, size, mtimeNs].join()).digest('base64url')}`
}

function questionOf(path: string, { size, mtime }: BigIntStats): string {
  return `Delete ${JSON.stringify(path)} (${size} bytes, modified ${mtime.toISOString()})? It cannot be undone.`
}
