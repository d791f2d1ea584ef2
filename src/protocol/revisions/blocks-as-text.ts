// Content blocks that a revision has added, as text for clients of the revision before.
import type { BlockType } from '../blocks.ts'
import type { JsonObject } from '../messages.ts'
import { asText, byMethod, inContentBlocks, inSampledQuestion } from './reshape.ts'

/** Each type that a revision has added, and its text for older clients. */
export type AddedBlocks = Readonly<Partial<Record<BlockType, (block: JsonObject) => string>>>

interface Step {
  readonly downgrade?: ReturnType<typeof byMethod>
  readonly downgradeQuestion?: ReturnType<typeof inSampledQuestion>
}

/** The step from a revision to the one before; empty if the revision has added no block. */
export function createBlockStep(added: AddedBlocks = {}): Step {
  const texts = new Map<unknown, (block: JsonObject) => string>(Object.entries(added))
  if (texts.size === 0) return {}
  const toOlder = (block: JsonObject) => {
    const toText = texts.get(block['type'])
    return toText === undefined ? block : asText(block, toText(block))
  }
  return { downgrade: byMethod(inContentBlocks(toOlder)), downgradeQuestion: inSampledQuestion(toOlder) }
}
