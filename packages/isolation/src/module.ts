// Finds the module that a process loads for an isolated tool. A handler is a closure, so it cannot
// be sent itself.
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ToolDefinition } from 'toolrack'
import { RegistrationError, type ToolModule } from 'toolrack/definitions'

/**
 * For a tool that a program defines.
 *
 * @throws RegistrationError if its process cannot find the tool there
 */
export function findNamedModule({ name, isolate }: ToolDefinition): ToolModule {
  if (isolate === true) {
    throw createRefusal(
      name,
      'true is for files of a tools folder; a program says which module exports it: import.meta.url',
    )
  }
  const url = String(isolate)
  if (!url.startsWith('file:'))
    throw createRefusal(name, 'must be true, or the file: URL of the module that exports the tool')
  const path = fileURLToPath(url)
  if (!existsSync(path)) throw createRefusal(name, 'the module does not exist')
  // Loading it would start the program again.
  if (isProgram(path))
    throw createRefusal(name, 'the module is the program itself; export the tool from one of its own')
  return { url, root: undefined }
}

function isProgram(path: string): boolean {
  const program = process.argv[1]
  return program !== undefined && existsSync(program) && realpathSync(path) === realpathSync(program)
}

const createRefusal = (name: string, text: string) => new RegistrationError('tool', name, `isolate: ${text}`)
