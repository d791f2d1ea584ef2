// Revision 2024-11-05: annotations, resource sizes, instructions, cancellation of requests.
// Spec 2024-11-05: server/tools, server/prompts, basic/utilities/cancellation.
import type { LaterRevision } from './chain.ts'
import { byMethod, inContentBlocks, inEach, inSampledQuestion, mergeReshapes, omit, pick } from './reshape.ts'

const olderBlock = omit('annotations')
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
  downgradeQuestion: inSampledQuestion(olderBlock),
}
