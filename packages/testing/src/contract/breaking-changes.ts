// Compares two contracts: which changes of tools break callers that rely on the old one? Pure.

import { withLocalReferences } from '@toolrack/json-schema/local-references'
import { getProperties, isEqual } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { findMirroredParams, KEY_ARGUMENT } from 'toolrack/definitions'
import type { MirroredParam } from 'toolrack/protocol'
import type { Contract, ToolContract } from './contract.ts'
import { findSchemaBreaks } from './schema-changes.ts'
import { resolveSchema } from './schema-references.ts'

/**
 * Finds changes that break callers. New tools, new optional arguments and other texts break nothing.
 *
 * @returns one sentence for each break; an empty list if nothing breaks
 */
export function findBreakingChanges(before: Contract, after: Contract): string[] {
  const [known, now] = [readTools(before), readTools(after)]
  const added = Object.keys(now).filter(name => !Object.hasOwn(known, name))
  return Object.entries(known).flatMap(([name, tool]) => {
    if (Object.hasOwn(now, name)) return findToolBreaks(tool, now[name]!).map(each => `${name}: ${each}.`)
    const heir = added.find(other => isRenamed(tool, now[other]!))
    return [heir === undefined ? `${name}: the tool is gone.` : `${name}: the tool is now called ${heir}.`]
  })
}

/** Contracts of older versions may have schemas with identifiers. */
const readTools = ({ tools }: Contract): Readonly<Record<string, ToolContract>> =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, withLocalReferences(tool)]))

const isRenamed = (before: ToolContract, after: ToolContract): boolean =>
  before.description === after.description &&
  isEqual(before.inputSchema, after.inputSchema) &&
  isEqual(before.outputSchema, after.outputSchema)

function findToolBreaks(before: ToolContract, after: ToolContract): string[] {
  return [
    ...findSchemaBreaks(before.inputSchema, after.inputSchema, 'input'),
    ...findHeaderBreaks(before, after),
    ...findOutputBreaks(before, after),
    ...findTextBreaks(before, after),
    ...findScopeBreaks(before, after),
    ...findTaskBreaks(before, after),
    ...findHintBreaks(before, after),
    ...findKeyBreaks(before, after),
  ]
}

// A call without the header is refused, and a caller that does not know the argument does not send
// the header.
// Spec: server/tools, "x-mcp-header".
function findHeaderBreaks({ inputSchema: before }: ToolContract, { inputSchema: after }: ToolContract): string[] {
  const known = findMirroredParams('', before)
  const isMirrored = ({ header, path }: MirroredParam) =>
    known.some(each => each.header === header && isEqual(each.path, path))
  const added = findMirroredParams('', after).filter(each => hasMember(before, each.path) && !isMirrored(each))
  return added.map(({ header, path }) => `clients have to send the argument ${path.join('.')} in ${header}, too, now`)
}

function hasMember(root: JsonObject, path: readonly string[]): boolean {
  let schema: unknown = root
  return path.every(name => {
    const members = getProperties(resolveSchema(schema, root))
    schema = members[name]
    return Object.hasOwn(members, name)
  })
}

function findOutputBreaks({ outputSchema: before }: ToolContract, { outputSchema: after }: ToolContract): string[] {
  if (before === undefined) return []
  return after === undefined ? ['the result is no longer structured'] : findSchemaBreaks(before, after, 'output')
}

// Many clients show only the content to their model.
function findTextBreaks({ text: before, outputSchema }: ToolContract, { text: after }: ToolContract): string[] {
  const isLost = outputSchema !== undefined && before !== 'own' && after === 'own'
  return isLost ? ['its content may lack the JSON of its result now'] : []
}

function findScopeBreaks({ scopes: before = [] }: ToolContract, { scopes: after = [] }: ToolContract): string[] {
  const added = after.filter(scope => !before.includes(scope))
  return added.map(scope => `callers need the scope ${scope} now`)
}

function findTaskBreaks({ taskSupport: before }: ToolContract, { taskSupport: after }: ToolContract): string[] {
  if (after === 'required' && before !== 'required') return ['it can only be called as a task now']
  const wasOffered = before === 'optional' || before === 'required'
  const isOffered = after === 'optional' || after === 'required'
  return wasOffered && !isOffered ? ['it can no longer be called as a task'] : []
}

// Clients use these to ask their users before a call, or to repeat it. Spec: server/tools, "Tool".
function findHintBreaks(
  { annotations: before = {} }: ToolContract,
  { annotations: after = {} }: ToolContract,
): string[] {
  const breaks: string[] = []
  const isReadOnly = after.readOnlyHint === true
  if (before.readOnlyHint === true && !isReadOnly) breaks.push('it no longer only reads')
  // A tool that may change something counts as destructive unless it declares otherwise.
  const wasHarmless = before.readOnlyHint === true || before.destructiveHint === false
  if (wasHarmless && !isReadOnly && after.destructiveHint !== false) breaks.push('it may destroy something now')
  if (before.idempotentHint === true && after.idempotentHint !== true && !isReadOnly)
    breaks.push('calling it again may have an effect now')
  // A tool may reach other systems unless it declares otherwise.
  if (before.openWorldHint === false && after.openWorldHint !== false) breaks.push('it may reach other systems now')
  return breaks
}

// An open schema still accepts the argument, but ignores it: a repeated call then acts twice.
function findKeyBreaks({ inputSchema: before }: ToolContract, { inputSchema: after }: ToolContract): string[] {
  const hasKey = (schema: JsonObject) => Object.hasOwn(getProperties(schema), KEY_ARGUMENT)
  const isKnown = hasKey(after) || after['additionalProperties'] === false
  return hasKey(before) && !isKnown ? [`a call with an ${KEY_ARGUMENT} may act twice now`] : []
}
