// Revision 2024-11-05: annotations, resource sizes, instructions, cancellation of requests.
// Spec 2024-11-05: server/tools, server/prompts, basic/utilities/cancellation.
import type { JsonObject } from '../messages.ts'
import type { LaterRevision } from './chain.ts'
import { byMethod, inContentBlocks, inEach, inSampledBlocks, mergeReshapes, omit, pick } from './reshape.ts'
import type { ClientRequest } from './revision.ts'

const entry = ['name', 'description', 'mimeType']

export const revision20241105: LaterRevision = {
  version: '2024-11-05',
  facts: { cancelsQuestions: true, structures: 'none' },
  downgrade: byMethod(
    mergeReshapes(inContentBlocks(olderBlock), {
      initialize: omit('instructions'),
      'resources/list': inEach('resources', pick('uri', ...entry)),
      'resources/templates/list': inEach('resourceTemplates', pick('uriTemplate', ...entry)),
    }),
  ),
  downgradeQuestion,
}

function olderBlock(block: JsonObject): JsonObject {
  switch (block['type']) {
    case 'text':
      return pick('type', 'text')(block)
    case 'image':
      return pick('type', 'data', 'mimeType')(block)
    default:
      return pick('type', 'resource')(block)
  }
}

function downgradeQuestion(question: ClientRequest): ClientRequest {
  if (question.method !== 'sampling/createMessage' || question.params === undefined) return question
  return { ...question, params: inSampledBlocks(olderBlock)(question.params) }
}
