import { setImmediate } from 'node:timers/promises'
import { defineTool, ToolError, Type } from 'toolrack'
import { type Entry, listFolder } from './_files/list.ts'
import { MAX_PATH_LENGTH } from './_files/path.ts'
import { fits } from './_files/pattern.ts'

/** Names matched before other requests run: both name and pattern may be long. */
const NAMES_AT_ONCE = 50

export default defineTool({
  name: 'list_files',
  title: 'List Files',
  description:
    'Lists the files and folders in the files folder of the server, or in a folder of it, sorted by path. Links are left ' +
    'out. Example: { "path": "notes" } gives { "entries": [{ "name": "todo.txt", "path": "notes/todo.txt", "type": ' +
    '"file", "size": 9, "modified": "2026-07-28T09:30:00.000Z" }], "isCut": false }.',
  inputSchema: Type.Object(
    {
      path: Type.Optional(
        Type.String({
          maxLength: MAX_PATH_LENGTH,
          description: 'A folder, relative to the files folder, such as "notes"; default: the files folder itself',
        }),
      ),
      recursive: Type.Optional(Type.Boolean({ description: 'Whether to list what its folders hold; default: false' })),
      pattern: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'For names: * stands for any characters, ? for one, such as "*.csv"; default: all',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Entries of a page; default: 200' })),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 6000, description: 'nextCursor of the page before' }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    entries: Type.Array(
      Type.Object({
        name: Type.String(),
        path: Type.String({ description: 'From the files folder, as the other tools take it' }),
        type: Type.Unsafe<'file' | 'folder'>({ type: 'string', enum: ['file', 'folder'] }),
        size: Type.Optional(Type.Integer({ description: 'Bytes, of files' })),
        modified: Type.String({ description: 'ISO 8601' }),
      }),
    ),
    nextCursor: Type.Optional(Type.String({ description: 'Pass it as cursor, with the same arguments, to go on' })),
    isCut: Type.Boolean({
      description: 'Whether there is more than the 10,000 entries and 32 levels that are looked at',
    }),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  requires: ['FILES_DIR'],
  scopes: ['files:read'],
  concurrency: 4,
  async handler({ path = '', recursive = false, pattern = '*', limit = 200, cursor }, { signal }) {
    const after = cursor === undefined ? '' : pathOf(cursor)
    const { entries, isCut } = await listFolder(path, { isRecursive: recursive, signal })
    const left = entries.filter(entry => entry.path > after)
    const found = pattern === '*' ? left : await fitting(left, { pattern, count: limit + 1, signal })
    const page = found.slice(0, limit)
    return { entries: page, ...(found.length > limit && { nextCursor: cursorOf(page.at(-1)!.path) }), isCut }
  },
})

/** Returns the first `count` entries whose names match the pattern. */
async function fitting(
  entries: readonly Entry[],
  { pattern, count, signal }: { pattern: string; count: number; signal: AbortSignal },
): Promise<Entry[]> {
  const found: Entry[] = []
  for (let start = 0; start < entries.length && found.length < count; start += NAMES_AT_ONCE) {
    if (start > 0) await setImmediate()
    signal.throwIfAborted()
    found.push(...entries.slice(start, start + NAMES_AT_ONCE).filter(({ name }) => fits(name, pattern)))
  }
  return found
}

// The last path of the page, so that files which come or go between two pages do not shift others.
const cursorOf = (path: string) => Buffer.from(path).toString('base64url')

function pathOf(cursor: string): string {
  const path = Buffer.from(cursor, 'base64url').toString()
  if (path === '' || cursorOf(path) !== cursor) {
    throw new ToolError('The cursor is none that list_files gave. Call again without it.')
  }
  return path
}
