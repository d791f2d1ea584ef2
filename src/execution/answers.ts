// The answers that a call brings from its client; those to a tool that changes things count once, whether or not the
// call gets through. Spec 2026-07-28: basic/patterns/mrtr.
import type { Eventually } from '../chain.ts'
import type { Exchange } from '../exchange.ts'
import { answersOf, openState, type RequestState } from '../input/request-state.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import type { Seal } from '../seal.ts'
import type { Spent } from '../state/spent.ts'

export interface AnswerParts {
  readonly seal: Seal
  readonly spent: Spent
}

/** @throws McpError INVALID_STATE (-32602) */
export function bringAnswers({ seal, spent }: AnswerParts, tool: Tool, exchange: Exchange): Eventually<JsonObject> {
  const state = openState(seal, exchange)
  const answers = answersOf(exchange, state)
  return state === undefined || !tool.isOneTime ? answers : spend(spent, state).then(() => answers)
}

async function spend(spent: Spent, { id, expiresAtMs }: RequestState): Promise<void> {
  if (await spent.spend(id, expiresAtMs)) return
  throw new McpError('INVALID_STATE', 'it was already used; call again without it')
}
