// A server that the client starts itself, on stdin and stdout: the entry in the client's file.
import type { Client, ClientRow, Program, Step } from './client.ts'
import { toNote, toSnippetOf } from './file.ts'
import { toMcpServers, toShell } from './quote.ts'
import { toKey } from './server.ts'

/**
 * @param launcher the program that runs `toolrack`
 * @param words of its command `start`; paths are absolute, since clients choose the folder in which
 *   they start programs
 */
export const createProgram = ({ command, args }: Program, words: readonly string[]): Program => ({
  command,
  args: [...args, 'start', '--stdio', ...words],
})

/** The entry that most clients accept. */
export const createProgramEntry = ({ command, args }: Program): object => ({ command, args })

/** A command line for a shell. */
export const toCommandLine = ({ command, args }: Program): string => [command, ...args].map(toShell).join(' ')

export const startsPrograms = ({ file, program }: ClientRow): boolean =>
  file?.program !== undefined || program !== undefined

/**
 * @param name of the server in the client
 * @returns undefined if it is unknown how the client starts programs
 */
export function describeProgram(
  row: ClientRow,
  name: string,
  program: Program,
): Pick<Client, 'id' | 'title' | 'file' | 'steps'> | undefined {
  const { id, title, file: kept } = row
  const key = toKey(name)
  if (kept?.program === undefined) {
    const steps = row.program?.(key, program)
    return steps && { id, title, steps }
  }
  const { format, path, servers, restart } = kept
  const file = { ...{ format, path, servers, key, also: {} }, entry: kept.program(program), ...toNote(undefined, kept) }
  const line = kept.programLine?.(toShell(key), toCommandLine(program))
  const command: Step[] =
    line === undefined ? [] : [{ title: 'Run the command', snippet: { language: 'sh', text: line } }]
  const write = {
    title: line === undefined ? 'Write it into a file' : 'Or write it into a file',
    snippet: toSnippetOf(file),
  }
  return { id, title, file, steps: [...command, write, ...(restart === undefined ? [] : [restart])] }
}

export const toProgramJson = (name: string, program: Program): string =>
  toMcpServers(toKey(name), createProgramEntry(program))
