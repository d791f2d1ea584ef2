// The seam of isolated tools, whose handlers run in other processes. A package implements it.
import type { ToolDefinition, ToolHandler } from './tool-definition.ts'

/** All that another process needs to load the same version of a tool's module. */
export interface ToolModule {
  /** Of a tools folder, with the generations of the file and its helpers. */
  readonly url: string
  /** The tools folder; undefined if a program has named the module. */
  readonly root: string | undefined
  /** All folders of the server: a file may import from another folder. */
  readonly roots?: readonly { readonly path: string; readonly name: string }[]
}

export interface IsolatedHandler {
  readonly handler: ToolHandler
  /** Variables that its code reads, but its process does not get. */
  readonly undeclared: readonly string[]
}

/**
 * @param module the file of the definition, if it is known
 * @throws RegistrationError if no other process can find the tool
 */
export type Isolate = (definition: ToolDefinition, module: ToolModule | undefined) => IsolatedHandler
