// Tools that run in a worker: which module a worker has to load for one. A handler is a closure and cannot be sent.
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { kindOf, RegistrationError } from './definition.ts'
import type { ToolModule } from './module-hook.ts'
import type { Tool } from './tool.ts'
import type { AnyToolDefinition } from './tool-definition.ts'

/** Makes a handler that has the tool of this name run in a worker, which finds it in the module. */
export type Isolate = (name: string, module: ToolModule) => Tool['handler']

/** What a definition does not say of itself. */
export interface Home {
  readonly module?: ToolModule | undefined
  readonly isolate?: Isolate | undefined
  readonly tellsOfTasks?: boolean | undefined
}

/** @returns undefined where the tool is not isolated; throws RegistrationError where it cannot be */
export function isolatedHandler(definition: AnyToolDefinition, home: Home): Tool['handler'] | undefined {
  const { name, isolate: wish } = definition
  if (wish === undefined || wish === false) return undefined
  const module = home.module ?? namedModule(name, wish)
  if (home.isolate === undefined) throw refusal(name, 'is not possible here: there are no workers')
  return home.isolate(name, module)
}

function namedModule(name: string, wish: true | string): ToolModule {
  if (wish === true) {
    throw refusal(name, 'true is for files of a tools folder; a program says which module exports it: import.meta.url')
  }
  if (!wish.startsWith('file:'))
    throw refusal(name, 'must be true, or the file: URL of the module that exports the tool')
  const path = fileURLToPath(wish)
  if (!existsSync(path)) throw refusal(name, 'the module does not exist')
  // Loading it would start the program once more.
  if (isProgram(path)) throw refusal(name, 'the module is the program itself; export the tool from one of its own')
  return { url: wish, root: undefined }
}

function isProgram(path: string): boolean {
  const program = process.argv[1]
  return program !== undefined && existsSync(program) && realpathSync(path) === realpathSync(program)
}

const refusal = (name: string, text: string) => new RegistrationError('tool', name, `isolate: ${text}`)

/** The tool of this name among what a module exports: each export a definition, or an array of them. */
export function findTool(exported: object, name: string): AnyToolDefinition | undefined {
  const isIt = (value: unknown) => kindOf(value) === 'tool' && (value as { name?: unknown }).name === name
  return Object.values(exported)
    .flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
    .find(isIt)
}
