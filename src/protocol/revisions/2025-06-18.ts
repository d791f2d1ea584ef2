// Revision 2025-06-18: structured results, resource links, titles, `_meta` in results, elicitation.
// Spec 2025-06-18: changelog, server/tools, client/elicitation.
import { isObject, type JsonObject } from '../messages.ts'
import type { LaterRevision } from './chain.ts'
import {
  asText,
  byMethod,
  inContentBlocks,
  inEach,
  inListEntries,
  inMember,
  inSampledBlocks,
  mergeReshapes,
  omit,
  pick,
  pipe,
  structureAsText,
} from './reshape.ts'
import type { ClientRequest } from './revision.ts'

const olderAnnotations = inMember('annotations', omit('lastModified'))
const olderContents = pick('uri', 'mimeType', 'text', 'blob')

export const revision20250618: LaterRevision = {
  version: '2025-06-18',
  facts: {
    takesBatches: false,
    structures: 'objects',
    clientFeatures: new Set(['roots', 'sampling', 'sampling.context', 'elicitation.form']),
  },
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
  downgradeQuestion,
}

function titleAsAnnotation(tool: JsonObject): JsonObject {
  const { title, annotations } = tool
  return title === undefined ? tool : { ...tool, annotations: { title, ...(isObject(annotations) && annotations) } }
}

function olderBlock(block: JsonObject): JsonObject {
  const known = block['type'] === 'resource_link' ? linkAsText(block) : annotatedOutside(block)
  return olderAnnotations(omit('_meta')(known))
}

// Older revisions have annotations on the block only, not on the embedded resource.
function annotatedOutside(block: JsonObject): JsonObject {
  const { resource, annotations } = block
  if (!isObject(resource)) return block
  const told = annotations ?? resource['annotations']
  return { ...block, resource: olderContents(resource), ...(isObject(told) && { annotations: told }) }
}

function linkAsText(link: JsonObject): JsonObject {
  const { uri, name, title, description, mimeType, size } = link
  const facts = [mimeType, typeof size === 'number' ? `${size} bytes` : undefined].filter(fact => fact !== undefined)
  const named = title === undefined || title === name ? name : `${title} (${name})`
  const head = `Resource ${named}: ${uri}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  return asText(link, description === undefined ? head : `${head}\n${description}`)
}

function downgradeQuestion(question: ClientRequest): ClientRequest {
  if (question.method !== 'sampling/createMessage' || question.params === undefined) return question
  return { ...question, params: inSampledBlocks(olderBlock)(question.params) }
}
