// The arguments of a call, without those that are for the server: a tool need not declare them.
import { CONFIRMATION_ARGUMENT, readConfirmation } from '../input/confirmation.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { KEY_ARGUMENT } from '../registry/idempotency-key.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'

const NO_ARGUMENTS: JsonObject = Object.freeze({})

/** The arguments as the client sent them. */
export function getArguments({ params }: Exchange): JsonObject {
  return (params['arguments'] as JsonObject | undefined) ?? NO_ARGUMENTS
}

/** What the schema of the tool describes. */
export function getOwnArguments(tool: Tool, exchange: Exchange): JsonObject {
  const args = getArguments(exchange)
  const hasKey = tool.hasIdempotency && KEY_ARGUMENT in args && !tool.declared.has(KEY_ARGUMENT)
  // A tool may declare it for clients that send only what is named.
  const hasConfirmation = CONFIRMATION_ARGUMENT in args && readConfirmation(args[CONFIRMATION_ARGUMENT]) !== undefined
  if (!hasKey && !hasConfirmation) return args
  const own = { ...args }
  if (hasKey) delete own[KEY_ARGUMENT]
  if (hasConfirmation) delete own[CONFIRMATION_ARGUMENT]
  return own
}
