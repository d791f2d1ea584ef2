import { defineResource, defineTool, ToolError, Type } from 'toolrack'
import { isMissing } from '../_files/faults.ts'
import { openFile, openTarget } from '../_files/open-file.ts'
import { MAX_PATH_LENGTH, targetOfUri } from '../_files/path.ts'
import { MAX_RANGE_BYTES } from './range.ts'
import { readPart } from './read-part.ts'
import { readWhole } from './read-whole.ts'

const readFile = defineTool({
  name: 'read_file',
  title: 'Read File',
  description:
    'Reads a file in the files folder of the server. Text comes by lines, as many as fit in 256 KiB: go on at nextLine. ' +
    'Images and audio come as such. What is large comes as a link, or in parts by offset and length, in bytes: go on at ' +
    'nextOffset. Example: { "path": "notes/todo.txt", "lines": 1 } gives the text "Buy milk" and { "path": ' +
    '"notes/todo.txt", "mimeType": "text/plain", "size": 21, "modified": "2026-07-28T09:30:00.000Z", "startLine": 1, ' +
    '"lines": 1, "nextLine": 2, "nextOffset": 9, "isComplete": false }.',
  inputSchema: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        maxLength: MAX_PATH_LENGTH,
        description: 'Relative to the files folder, such as "notes/todo.txt"',
      }),
      startLine: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Of a text; default: 1' }),
      ),
      lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'Default: as many as fit' })),
      offset: Type.Optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'In bytes, instead of lines' }),
      ),
      length: Type.Optional(
        Type.Integer({ minimum: 8, maximum: MAX_RANGE_BYTES, description: 'In bytes; default: 262,144' }),
      ),
    },
    { additionalProperties: false },
  ),
  text: 'both',
  outputSchema: Type.Object({
    path: Type.String(),
    mimeType: Type.String({ description: 'By its content' }),
    size: Type.Integer({ description: 'Of the file, in bytes' }),
    modified: Type.String({ description: 'ISO 8601' }),
    startLine: Type.Optional(Type.Integer()),
    lines: Type.Optional(Type.Integer({ description: 'How many are shown' })),
    totalLines: Type.Optional(Type.Integer({ description: 'Where the end of the text has been reached' })),
    nextLine: Type.Optional(Type.Integer({ description: 'Pass it as startLine to go on' })),
    offset: Type.Optional(Type.Integer()),
    length: Type.Optional(Type.Integer({ description: 'How many bytes are shown' })),
    nextOffset: Type.Optional(Type.Integer({ description: 'Pass it as offset to go on' })),
    isComplete: Type.Boolean({ description: 'Whether the whole file is shown' }),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  requires: ['FILES_DIR'],
  scopes: ['files:read'],
  concurrency: 16,
  async handler({ path, ...part }, { signal }) {
    const file = await openFile(path)
    try {
      return await readPart({ ...file, path }, part, signal)
    } finally {
      await file.handle.close()
    }
  },
})

const files = defineResource({
  uriTemplate: 'files:///{+path}',
  name: 'files',
  title: 'Files',
  description: 'The files that read_file links to, whole: up to 3,000,000 bytes each.',
  requires: ['FILES_DIR'],
  scopes: ['files:read'],
  async handler(uri) {
    const file = await openTarget(targetOfUri(uri)).catch(noneWhereMissing)
    if (file === undefined) return undefined
    try {
      return { contents: [await readWhole(file, uri)] }
    } finally {
      await file.handle.close()
    }
  },
})

function noneWhereMissing(error: unknown): undefined {
  if (error instanceof ToolError && isMissing(error.cause)) return undefined
  throw error
}

export default [readFile, files]
