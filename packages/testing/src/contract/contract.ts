// The parts of a set of tools that callers rely on: names, schemas, annotations, scopes.

import type { Schema } from '@toolrack/json-schema/validator'
import type { JsonObject, TaskSupport, ToolText } from 'toolrack'
import type { Tool } from 'toolrack/definitions'

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema
  readonly annotations?: ContractAnnotations
  readonly icons?: readonly JsonObject[]
  readonly _meta?: JsonObject
}

/** The annotations that a contract keeps. */
export interface ContractAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** The parts of one tool that callers rely on. */
export interface ToolContract {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Schema
  readonly outputSchema?: Schema | undefined
  readonly annotations?: ContractAnnotations | undefined
  /** Default: `forbidden`. */
  readonly taskSupport?: TaskSupport | undefined
  /** Default: `structure`. */
  readonly text?: ToolText | undefined
  /** A caller needs all of them. */
  readonly scopes?: readonly string[] | undefined
}

/** The parts of all tools that callers rely on. */
export interface Contract {
  readonly tools: Readonly<Record<string, ToolContract>>
}

/** @param findTool finds facts that lists do not show */
export function toContract(
  listed: readonly ListedTool[],
  findTool: (name: string) => Pick<Tool, 'scopes' | 'task' | 'hasOwnText'> | undefined,
): Contract {
  const tools = listed.map(({ name, icons: _icons, _meta, ...shown }) => {
    const { scopes = [], task = 'forbidden', hasOwnText = false } = findTool(name) ?? {}
    const tool: ToolContract = {
      ...shown,
      taskSupport: task === 'forbidden' ? undefined : task,
      text: hasOwnText ? 'own' : undefined,
      scopes: scopes.length === 0 ? undefined : [...scopes].sort(),
    }
    return [name, tool] as const
  })
  return { tools: Object.fromEntries(tools) }
}
