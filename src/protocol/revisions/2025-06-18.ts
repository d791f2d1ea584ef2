// Revision 2025-06-18: structured results, resource links, titles, `_meta` in results, elicitation.
// Spec 2025-06-18: changelog, server/tools, client/elicitation.
import { isObject, type JsonObject } from '../messages.ts'
import type { LaterRevision } from './chain.ts'
import {
  byMethod,
  inContentBlocks,
  inEach,
  inListEntries,
  inMember,
  inSampledQuestion,
  mergeReshapes,
  omit,
  pick,
  pipe,
  structureAsText,
} from './reshape.ts'

const olderAnnotations = inMember('annotations', omit('lastModified'))
const olderContents = pick('uri', 'mimeType', 'text', 'blob')

export const revision20250618: LaterRevision = {
  version: '2025-06-18',
  facts: {
    takesBatches: false,
    structures: 'objects',
    clientFeatures: new Set(['roots', 'sampling', 'sampling.context', 'elicitation.form']),
  },
  addsBlocks: { resource_link: describeLink },
  downgrade: byMethod(
    mergeReshapes(
      { 'tools/list': inEach('tools', pipe(titleAsAnnotation, omit('outputSchema'))) },
      inListEntries(pipe(omit('title', '_meta'), olderAnnotations)),
      { 'prompts/list': inEach('prompts', inEach('arguments', omit('title'))) },
      { 'tools/call': structureAsText },
      inContentBlocks(olderBlock),
      { 'resources/read': inEach('contents', olderContents) },
      { initialize: inMember('serverInfo', omit('title')) },
    ),
  ),
  downgradeQuestion: inSampledQuestion(olderBlock),
}

function titleAsAnnotation(tool: JsonObject): JsonObject {
  const { title, annotations } = tool
  return title === undefined ? tool : { ...tool, annotations: { title, ...(isObject(annotations) && annotations) } }
}

function olderBlock(block: JsonObject): JsonObject {
  return olderAnnotations(omit('_meta')(annotatedOutside(block)))
}

// Older revisions have annotations on the block only, not on the embedded resource.
function annotatedOutside(block: JsonObject): JsonObject {
  const { resource, annotations } = block
  if (!isObject(resource)) return block
  const told = annotations ?? resource['annotations']
  return { ...block, resource: olderContents(resource), ...(isObject(told) && { annotations: told }) }
}

function describeLink({ uri, name, title, description, mimeType, size }: JsonObject): string {
  const facts = [mimeType, typeof size === 'number' ? `${size} bytes` : undefined].filter(fact => fact !== undefined)
  const named = title === undefined || title === name ? name : `${title} (${name})`
  const head = `Resource ${named}: ${uri}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  return description === undefined ? head : `${head}\n${description}`
}
