// One content block of a prompt message, a resource or a question. It is shown by its content,
// whatever type it claims.
import { useMemo } from 'preact/hooks'
import { isObject } from '../client/json-rpc.ts'
import { toFileName } from './files.ts'
import { PartBox } from './PartBox.tsx'
import { type Fields, toPart, toResourcePart } from './parts.ts'

/** @param content a block of any type, from an untrusted server */
export function ContentView({ content }: { content: unknown }) {
  const part = useMemo(() => toPart(content), [content])
  return <PartBox part={part} block={isObject(content) ? content : {}} fileName="content" />
}

/** The contents of a resource, embedded in a result or read by `resources/read`. */
export function ResourceContents({ contents }: { contents: Fields }) {
  const part = useMemo(() => toResourcePart(contents), [contents])
  const name = part.kind === 'resource' ? toFileName(part.uri).replace(/\.[^.]*$/, '') : ''
  return <PartBox part={part} block={contents} fileName={name || 'resource'} />
}
