// The files of an isolated tool as JSON, since a stream cannot be sent to the server.
import type { FileContent } from 'toolrack'
import { file, hasFiles, isObject, mapFiles, readFile } from 'toolrack/isolation'

const SENT_FILE = 'toolrack/file'

/** Runs in the child process. @param refuse creates the error for a file that cannot be sent */
export async function toSentFiles(
  returned: unknown,
  signal: AbortSignal,
  refuse: (text: string) => Error,
): Promise<unknown> {
  if (!hasFiles(returned)) return returned
  return mapFiles(returned, async file => {
    const bytes = await readFile(file, signal, refuse)
    const { name, mimeType, isLink } = file
    return { [SENT_FILE]: { name, mimeType, isLink, data: Buffer.from(bytes).toString('base64') } }
  })
}

/** Runs in the server. */
export function fromSentFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toFile)
  if (isObject(value) && Array.isArray(value['content'])) return { ...value, content: value['content'].map(toFile) }
  return toFile(value)
}

function toFile(value: unknown): FileContent | unknown {
  const sent = isObject(value) ? value[SENT_FILE] : undefined
  if (!isObject(sent) || typeof sent['data'] !== 'string') return value
  return file(Buffer.from(sent['data'], 'base64'), {
    name: String(sent['name']),
    mimeType: String(sent['mimeType']),
    ...(sent['isLink'] === true && { as: 'link' }),
  })
}
