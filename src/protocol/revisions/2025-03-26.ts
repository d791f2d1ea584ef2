// Revision 2025-03-26: results are content only; batches. No titles beside a tool's annotations, no `_meta` within.
// Spec 2025-03-26: server/tools, basic/transports. Changes since: 2025-06-18, changelog.
import { isObject, type JsonObject } from '../messages.ts'
import { revision20250618 } from './2025-06-18.ts'
import {
  all,
  asText,
  blocks,
  byMethod,
  each,
  entries,
  only,
  pipe,
  sampledBlocks,
  structureAsText,
  within,
  without,
} from './reshape.ts'
import { before, type ClientRequest, type Revision } from './revision.ts'

const olderAnnotations = within('annotations', without('lastModified'))
const olderContents = only('uri', 'mimeType', 'text', 'blob')

export const revision20250326: Revision = before(revision20250618, {
  version: '2025-03-26',
  takesBatches: true,
  askable: new Set(['roots', 'sampling', 'sampling.context']),
  downgrade: byMethod(
    all(
      { 'tools/list': each('tools', pipe(titleAsAnnotation, without('outputSchema'))) },
      entries(pipe(without('title', '_meta'), olderAnnotations)),
      { 'prompts/list': each('prompts', each('arguments', without('title'))) },
      { 'tools/call': structureAsText },
      blocks(olderBlock),
      { 'resources/read': each('contents', olderContents) },
      { initialize: within('serverInfo', without('title')) },
    ),
  ),
  downgradeQuestion,
})

function titleAsAnnotation(tool: JsonObject): JsonObject {
  const { title, annotations } = tool
  return title === undefined ? tool : { ...tool, annotations: { title, ...(isObject(annotations) && annotations) } }
}

function olderBlock(block: JsonObject): JsonObject {
  const known = block['type'] === 'resource_link' ? linkAsText(block) : annotatedOutside(block)
  return olderAnnotations(without('_meta')(known))
}

// Of a resource within a result the block alone had annotations.
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
  return { ...question, params: sampledBlocks(olderBlock)(question.params) }
}
