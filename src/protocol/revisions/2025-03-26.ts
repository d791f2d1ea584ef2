// Revision 2025-03-26: audio, tool annotations, completions, progress messages, batches, and
// sessions that a server may do without.
// Spec 2025-03-26: changelog, server/tools, basic/transports.
import type { JsonObject } from '../messages.ts'
import type { LaterRevision } from './chain.ts'
import { asText, byMethod, inContentBlocks, inEach, inMember, inSampledBlocks, mergeReshapes, omit } from './reshape.ts'
import type { ClientRequest } from './revision.ts'

export const revision20250326: LaterRevision = {
  version: '2025-03-26',
  facts: { takesBatches: true, isSessionOptional: true, hasProgressMessages: true },
  downgrade: byMethod(
    mergeReshapes(inContentBlocks(olderBlock), {
      initialize: inMember('capabilities', omit('completions')),
      'tools/list': inEach('tools', omit('annotations')),
    }),
  ),
  downgradeQuestion,
}

// Audio becomes a data: URI, so that no data is lost.
function olderBlock(block: JsonObject): JsonObject {
  if (block['type'] !== 'audio') return block
  return asText(block, `Audio (${block['mimeType']}): data:${block['mimeType']};base64,${block['data']}`)
}

function downgradeQuestion(question: ClientRequest): ClientRequest {
  if (question.method !== 'sampling/createMessage' || question.params === undefined) return question
  return { ...question, params: inSampledBlocks(olderBlock)(question.params) }
}
