// Revision 2026-07-28: stateless, metadata on every request. Its clients need not know which tools make tasks.
import { own } from './own.ts'
import { byMethod, each, without } from './reshape.ts'
import { before, type Revision } from './revision.ts'

export const revision20260728: Revision = before(own, {
  version: '2026-07-28',
  downgrade: byMethod({ 'tools/list': each('tools', without('execution')) }),
})
