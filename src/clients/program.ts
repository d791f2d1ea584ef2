// A server that the client starts itself, on stdin and stdout: the entry in the client's file.
import type { ClientFile, FileRow, Program, Snippet } from './client.ts'
import { toSnippetOf } from './file.ts'
import { toMcpServers, toShell } from './quote.ts'
import { toKey } from './server.ts'

/** @param folders absolute, since clients start programs in folders of their own choice */
export const createProgram = (folders: readonly string[]): Program => ({
  command: 'npx',
  args: ['-y', 'toolrack', 'start', '--stdio', ...folders],
})

/** The entry that most clients take. */
export const createProgramEntry = ({ command, args }: Program): object => ({ command, args })

export interface ProgramClient {
  readonly file: ClientFile
  readonly snippet: Snippet
  /** The command that does the same. */
  readonly line?: string
}

/** @param name what the client calls the server @returns undefined if it is not known how the client starts programs */
export function describeProgram(row: FileRow | undefined, name: string, program: Program): ProgramClient | undefined {
  if (row?.program === undefined) return undefined
  const { format, path, servers } = row
  const key = toKey(name)
  const file = { ...{ format, path, servers, key, also: {} }, entry: row.program(program) }
  const line = row.programLine?.(toShell(key), [program.command, ...program.args].map(toShell).join(' '))
  return { file, snippet: toSnippetOf(file), ...(line !== undefined && { line }) }
}

export const toProgramJson = (name: string, program: Program): string =>
  toMcpServers(toKey(name), createProgramEntry(program))
