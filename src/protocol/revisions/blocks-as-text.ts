// Content blocks that a revision has added, as text for clients of the revision before.
import { BLOCK_TYPES, findRow } from '../blocks.ts'
import type { JsonObject } from '../messages.ts'
import { asText, byMethod, inContentBlocks, inSampledQuestion } from './reshape.ts'

interface Step {
  readonly downgrade?: ReturnType<typeof byMethod>
  readonly downgradeQuestion?: ReturnType<typeof inSampledQuestion>
}

/** The step from a revision to the one before; empty if the revision has added no block. */
export function createBlockStep(revision: string): Step {
  if (!BLOCK_TYPES.some(type => findRow(type)?.added?.revision === revision)) return {}
  const toOlder = (block: JsonObject) => {
    const added = findRow(block['type'])?.added
    return added?.revision === revision ? asText(block, added.toOlderText(block)) : block
  }
  return { downgrade: byMethod(inContentBlocks(toOlder)), downgradeQuestion: inSampledQuestion(toOlder) }
}
