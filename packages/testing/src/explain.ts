// Adds to a refusal what the author of a test needs to know: the existing tools, and the scopes of
// the caller.
import type { Caller, JsonObject } from 'toolrack'
import type { DisabledEntry } from 'toolrack/definitions'
import type { ListedTool } from './contract/contract.ts'
import { ProtocolError } from './protocol-error.ts'

export interface RefusedCall {
  readonly params: JsonObject
  readonly caller: Caller | undefined
  readonly disabled: readonly DisabledEntry[]
  /** The tools that the caller sees. */
  list(): Promise<readonly ListedTool[]>
}

/** @returns the error, or one with more information */
export async function explain(error: unknown, call: RefusedCall): Promise<unknown> {
  if (!(error instanceof ProtocolError)) return error
  const more = await findExplanation(error.reason, call)
  return more === undefined ? error : new ProtocolError(`${error.message}. ${more}`, error)
}

async function findExplanation(reason: string, call: RefusedCall): Promise<string | undefined> {
  if (reason === 'INSUFFICIENT_SCOPE') return `The caller has ${formatNames(call.caller?.scopes ?? [], 'no scope')}`
  if (reason !== 'UNKNOWN_TOOL') return undefined
  const disabled = call.disabled.find(({ entry }) => entry.kind === 'tool' && entry.key === call.params['name'])
  if (disabled !== undefined) return explainDisabled(disabled)
  const names = (await call.list()).map(({ name }) => name)
  return `The caller sees ${formatNames(names, 'no tool')}`
}

function explainDisabled({ missing }: DisabledEntry): string {
  if (missing.length === 0) return 'It is not served, since toolsInclude or toolsExclude leaves it out'
  return `It is not served, since it needs ${missing.join(', ')}`
}

/** @throws Error naming each tool that lacks a variable: a contract would miss it */
export function assertNoneLacking(disabled: readonly DisabledEntry[]): void {
  const lacking = disabled.filter(({ entry, missing }) => entry.kind === 'tool' && missing.length > 0)
  if (lacking.length === 0) return
  const list = lacking.map(({ entry, missing }) => `- ${entry.key}: it needs ${missing.join(', ')}`)
  throw new Error(
    `Tools are not served, and would be missing in the contract:\n${list.join('\n')}\n` +
      `Set the variables for the tests, or leave the tools out: settings: { toolsExclude: '${lacking[0]!.entry.key}' }`,
  )
}

const formatNames = (names: readonly string[], none: string): string =>
  names.length === 0 ? none : [...names].sort().join(', ')
