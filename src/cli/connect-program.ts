// `toolrack connect CLIENT --stdio`: the entry with which a client starts the server itself.
import { resolve } from 'node:path'
import { createProgram, describeClientProgram, PROGRAM_CLIENTS, toProgramJson } from '../clients/index.ts'
import { assertToolsDir } from '../config/settings.ts'
import { formatSteps } from './connect-report.ts'
import { UsageError } from './errors.ts'
import type { Io } from './io.ts'

interface Options {
  readonly name: string
  readonly folders: readonly string[]
  readonly json?: boolean | undefined
  readonly write?: boolean | undefined
  readonly file?: string | undefined
  readonly yes?: boolean | undefined
}

/** @throws UsageError, ConfigError if a folder is not there */
export async function connectProgram(id: string | undefined, options: Options, io: Io): Promise<void> {
  const { name, folders, json, write, file, yes } = options
  const given = folders.length > 0 ? folders : ['tools']
  assertToolsDir(given, 'folder')
  const program = createProgram(given.map(folder => resolve(folder)))
  if (id === undefined) return io.print(toProgramJson(name, program))
  const client = describeClientProgram(id, name, program)
  if (client === undefined)
    throw new UsageError(
      `--stdio: how ${id} starts programs is not known here; it is for ${PROGRAM_CLIENTS.join(', ')}. ` +
        'toolrack connect --stdio prints what most clients take',
    )
  if (write) {
    const { writeClient } = await import('./client-file/write.ts')
    return writeClient(client, { file, isYes: yes === true }, io)
  }
  if (json) io.printJson({ client })
  else io.print(formatSteps(client, io))
}
