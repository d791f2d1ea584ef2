// Revision 2024-11-05: text, images and embedded resources; tools without annotations.
// Spec 2024-11-05: server/tools, server/prompts. Changes since: 2025-03-26, changelog.
import type { JsonObject } from '../messages.ts'
import { revision20250326 } from './2025-03-26.ts'
import { all, asText, blocks, byMethod, each, sampledBlocks, within, without } from './reshape.ts'
import { before, type ClientRequest, type Revision } from './revision.ts'

export const revision20241105: Revision = before(revision20250326, {
  version: '2024-11-05',
  takesBatches: false,
  hasProgressMessages: false,
  downgrade: byMethod(
    all(blocks(olderBlock), {
      initialize: within('capabilities', without('completions')),
      'tools/list': each('tools', without('annotations')),
    }),
  ),
  downgradeQuestion,
})

// As a URI that holds it, so that nothing is lost.
function olderBlock(block: JsonObject): JsonObject {
  if (block['type'] !== 'audio') return block
  return asText(block, `Audio (${block['mimeType']}): data:${block['mimeType']};base64,${block['data']}`)
}

function downgradeQuestion(question: ClientRequest): ClientRequest {
  if (question.method !== 'sampling/createMessage' || question.params === undefined) return question
  return { ...question, params: sampledBlocks(olderBlock)(question.params) }
}
