// A revision that nobody has published: a method more, `ttlMs` of results renamed to `freshForMs`, and `priority` of tools,
// which only older clients are told. All that it takes is this file and one row of the index.
import type { JsonObject } from '../../../../src/protocol/messages.ts'
import type { LaterRevision } from '../../../../src/protocol/revisions/chain.ts'
import { byMethod, inEach, omit } from '../../../../src/protocol/revisions/reshape.ts'

const hide = byMethod({ 'tools/list': inEach('tools', omit('priority')) })

export const revision20270115: LaterRevision = {
  version: '2027-01-15',
  adds: ['resources/directory/list'],
  hide,
  downgrade: (_method, result) => renameFreshness(result),
}

function renameFreshness({ freshForMs, ...result }: JsonObject): JsonObject {
  return freshForMs === undefined ? result : { ...result, ttlMs: freshForMs }
}
