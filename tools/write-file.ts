import { defineTool, ToolError, Type } from 'toolrack'
import { MAX_PATH_LENGTH } from './_files/path.ts'
import { writeFile } from './_files/write.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export default defineTool({
  name: 'write_file',
  title: 'Write File',
  description:
    'Writes a file in the files folder of the server, whole, and makes the folders on the way to it. A file that is there ' +
    'is replaced only with overwrite. Example: { "path": "notes/todo.txt", "content": "Buy milk\\n" } gives ' +
    '{ "path": "notes/todo.txt", "size": 9, "isNew": true }.',
  inputSchema: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        maxLength: MAX_PATH_LENGTH,
        description: 'Relative to the files folder, such as "notes/todo.txt"',
      }),
      // With the rest of the request, this fits into a body of 1 MiB unless much is escaped.
      content: Type.String({ maxLength: 900_000, description: 'The whole content: text, or base64 of any bytes' }),
      encoding: Type.Optional(
        Type.Unsafe<'text' | 'base64'>({ type: 'string', enum: ['text', 'base64'], description: 'Default: text' }),
      ),
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Whether to replace a file that is there; default: false' }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    path: Type.String(),
    size: Type.Integer({ description: 'Bytes' }),
    isNew: Type.Boolean({ description: 'false: it has replaced one' }),
  }),
  // The same call again leaves the same content, or is refused.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  requires: ['FILES_DIR'],
  scopes: ['files:write'],
  rateLimit: { max: 120, timeWindow: '1 minute' },
  concurrency: 8,
  async handler({ path, content, encoding = 'text', overwrite = false }) {
    const bytes = encoding === 'text' ? Buffer.from(content) : fromBase64(content)
    const isNew = await writeFile(path, { bytes, isOverwriting: overwrite })
    return { path, size: bytes.length, isNew }
  },
})

// Node's decoder accepts anything.
function fromBase64(content: string): Buffer {
  if (!BASE64.test(content))
    throw new ToolError('content is not base64. Encode the bytes again, or write them as text.')
  return Buffer.from(content, 'base64')
}
