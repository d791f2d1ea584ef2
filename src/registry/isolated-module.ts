// Finds the module that a worker loads for an isolated tool: a handler is a closure and cannot be
// sent.
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findDefinitionKind, listVariables, RegistrationError } from './definition.ts'
import { findRoot } from './derive.ts'
import type { ToolModule } from './folder/modules.ts'
import type { ReadLibrarySchema } from './schemas.ts'
import type { ToolDefinition, ToolHandler } from './tool-definition.ts'

/** Creates a handler that runs the named tool of the module in a worker, which gets the variables. */
export type Isolate = (name: string, module: ToolModule, variables: readonly string[]) => ToolHandler

/** What the definition itself does not contain. */
export interface BuildContext {
  readonly module?: ToolModule | undefined
  readonly isolate?: Isolate | undefined
  readonly hasTaskFallback?: boolean | undefined
  readonly readLibrarySchema?: ReadLibrarySchema | undefined
}

/** @returns undefined if not isolated @throws RegistrationError if isolation is not possible */
export function createIsolatedHandler(definition: ToolDefinition, context: BuildContext): ToolHandler | undefined {
  const { name, isolate } = definition
  if (isolate === undefined || isolate === false) return undefined
  const module = context.module ?? findNamedModule(name, isolate)
  if (context.isolate === undefined) throw createRefusal(name, 'is not possible here: there are no workers')
  return context.isolate(findRoot(definition).name, module, listVariables(definition))
}

function findNamedModule(name: string, isolate: true | string): ToolModule {
  if (isolate === true) {
    throw createRefusal(
      name,
      'true is for files of a tools folder; a program says which module exports it: import.meta.url',
    )
  }
  if (!isolate.startsWith('file:'))
    throw createRefusal(name, 'must be true, or the file: URL of the module that exports the tool')
  const path = fileURLToPath(isolate)
  if (!existsSync(path)) throw createRefusal(name, 'the module does not exist')
  // Loading it would start the program again.
  if (isProgram(path))
    throw createRefusal(name, 'the module is the program itself; export the tool from one of its own')
  return { url: isolate, root: undefined }
}

function isProgram(path: string): boolean {
  const program = process.argv[1]
  return program !== undefined && existsSync(program) && realpathSync(path) === realpathSync(program)
}

const createRefusal = (name: string, text: string) => new RegistrationError('tool', name, `isolate: ${text}`)

/** Finds a tool by name in a module's exports, each a definition or an array of them. */
export function findTool(exported: object, name: string): ToolDefinition | undefined {
  const isIt = (value: unknown) => findDefinitionKind(value) === 'tool' && (value as { name?: unknown }).name === name
  return Object.values(exported)
    .flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
    .find(isIt)
}
