// Selects the arguments of a call that are for the tool. Leaves out those that are for the server, and
// those that a client adds by itself.

import type { Schema } from '@toolrack/json-schema/validator'
import { CONFIRMATION_ARGUMENT, readConfirmation } from '../input/confirmation.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { KEY_ARGUMENT } from '../registry/idempotency-key.ts'
import { isClosedTo } from '../registry/root-schema.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'

const NO_ARGUMENTS: JsonObject = Object.freeze({})

/** The arguments as the client sent them. */
export function getArguments({ params }: Exchange): JsonObject {
  return (params['arguments'] as JsonObject | undefined) ?? NO_ARGUMENTS
}

/** The arguments that the schema of the tool describes. */
export function getOwnArguments(tool: Tool, exchange: Exchange): JsonObject {
  const args = getArguments(exchange)
  const hasKey = hasServerKey(tool, args)
  const hasConfirmation = hasServerConfirmation(args)
  if (!hasKey && !hasConfirmation) return args
  const own = { ...args }
  if (hasKey) delete own[KEY_ARGUMENT]
  if (hasConfirmation) delete own[CONFIRMATION_ARGUMENT]
  return own
}

const hasServerKey = (tool: Tool, args: JsonObject) =>
  tool.hasIdempotency && KEY_ARGUMENT in args && !tool.declared.has(KEY_ARGUMENT)

// A tool may declare it, for clients that send only declared arguments.
const hasServerConfirmation = (args: JsonObject) =>
  CONFIRMATION_ARGUMENT in args && readConfirmation(args[CONFIRMATION_ARGUMENT]) !== undefined

/**
 * Keeps the arguments that the tool or the server can use. Drops a `_meta` that the tool does not
 * declare. Drops all arguments of a tool without an input schema: some clients invent one, such as
 * `random_string`, because their model cannot call a tool without any.
 *
 * @returns the same object if nothing is dropped
 */
export function withoutUnusable(tool: Tool, args: JsonObject): JsonObject {
  if (tool.takesArguments) return '_meta' in args ? withoutMisplacedMeta(tool, args) : args
  const kept: Record<string, unknown> = {}
  if (hasServerKey(tool, args)) kept[KEY_ARGUMENT] = args[KEY_ARGUMENT]
  if (hasServerConfirmation(args)) kept[CONFIRMATION_ARGUMENT] = args[CONFIRMATION_ARGUMENT]
  return Object.keys(kept).length === Object.keys(args).length ? args : kept
}

/** Drops the `_meta` only if the schema of the tool refuses it. */
function withoutMisplacedMeta(tool: Tool, args: JsonObject): JsonObject {
  if (tool.declared.has('_meta') || !Object.hasOwn(args, '_meta')) return args
  // `input` knows no patterns of a schema library, so it cannot tell which names they exclude.
  const isRefused = tool.parseInput !== undefined && isClosedTo(tool.listed['inputSchema'] as Schema, '_meta')
  if (!isRefused && tool.input.isValid(args)) return args
  const { _meta: _dropped, ...rest } = args
  return rest
}
