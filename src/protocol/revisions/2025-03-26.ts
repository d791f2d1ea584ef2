// Revision 2025-03-26: audio, tool annotations, completions, progress messages, batches, and
// sessions that a server may do without.
// Spec 2025-03-26: changelog, server/tools, basic/transports.
import type { LaterRevision } from './chain.ts'
import { byMethod, inEach, inMember, omit } from './reshape.ts'

export const revision20250326: LaterRevision = {
  version: '2025-03-26',
  facts: { takesBatches: true, isSessionOptional: true, hasProgressMessages: true },
  // As a data: URI, so that no data is lost.
  addsBlocks: { audio: ({ mimeType, data }) => `Audio (${mimeType}): data:${mimeType};base64,${data}` },
  downgrade: byMethod({
    initialize: inMember('capabilities', omit('completions')),
    'tools/list': inEach('tools', omit('annotations')),
  }),
}
