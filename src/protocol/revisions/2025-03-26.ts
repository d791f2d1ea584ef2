// Revision 2025-03-26: results are content only; batches. No titles beside a tool's annotations, no `_meta` within.
// Spec 2025-03-26: server/tools, basic/transports. Changes since: 2025-06-18, changelog.
import { isObject, type JsonObject } from '../messages.ts'
import { revision20250618 } from './2025-06-18.ts'
import { all, blocks, byMethod, each, entries, pipe, textBlock, within, without } from './reshape.ts'
import { before, type Revision } from './revision.ts'

const olderAnnotations = within('annotations', without('lastModified'))
const withoutMeta = without('_meta')

export const revision20250326: Revision = before(revision20250618, {
  version: '2025-03-26',
  takesBatches: true,
  askable: new Set(['roots', 'sampling']),
  downgrade: byMethod(
    all(
      { 'tools/list': each('tools', pipe(titleAsAnnotation, without('outputSchema'))) },
      entries(pipe(without('title', '_meta'), olderAnnotations)),
      { 'prompts/list': each('prompts', each('arguments', without('title'))) },
      { 'tools/call': contentOnly },
      blocks(olderBlock),
      { 'resources/read': each('contents', withoutMeta) },
      { initialize: within('serverInfo', without('title')) },
    ),
  ),
})

function titleAsAnnotation(tool: JsonObject): JsonObject {
  const { title, annotations } = tool
  return title === undefined ? tool : { ...tool, annotations: { title, ...(isObject(annotations) && annotations) } }
}

// What only the structure says is said as text.
function contentOnly({ structuredContent, ...result }: JsonObject): JsonObject {
  const isSaid = structuredContent === undefined || (result['content'] as unknown[]).length > 0
  return isSaid ? result : { ...result, content: [textBlock(JSON.stringify(structuredContent))] }
}

function olderBlock(block: JsonObject): JsonObject {
  if (block['type'] === 'resource_link') return linkAsText(block)
  return within('resource', withoutMeta)(olderAnnotations(withoutMeta(block)))
}

function linkAsText({ uri, name, title, description, mimeType, size }: JsonObject): JsonObject {
  const facts = [mimeType, typeof size === 'number' ? `${size} bytes` : undefined].filter(fact => fact !== undefined)
  const named = title === undefined || title === name ? name : `${title} (${name})`
  const head = `Resource ${named}: ${uri}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  return textBlock(description === undefined ? head : `${head}\n${description}`)
}
