// `toolrack connect CLIENT --stdio`: the entry with which a client starts the server itself.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createProgram, describeClientProgram, PROGRAM_CLIENTS, type Program, toProgramJson } from 'toolrack/clients'
import { assertToolsDir } from 'toolrack/settings'
import { formatSteps } from './connect-report.ts'
import { ENV_FILE } from './env-file.ts'
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

/** @throws UsageError; ConfigError if a folder is missing */
export async function connectProgram(id: string | undefined, options: Options, io: Io): Promise<void> {
  const { name, folders, json, write, file, yes } = options
  const given = folders.length > 0 ? folders : ['tools']
  assertToolsDir(given, 'folder')
  const program = createProgram(findLauncher(process.argv[1]!), [
    // `start` looks for it in its working directory, which will be another one.
    ...(existsSync(ENV_FILE) ? ['--env-file', resolve(ENV_FILE)] : []),
    ...given.map(folder => resolve(folder)),
  ])
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

/** Folders where npx and similar programs keep packages until they delete them. */
const FETCHED = /[\\/](?:_npx|dlx[^\\/]*|bunx-[^\\/]*)[\\/]/

/**
 * The program that runs this command, by absolute paths: desktop apps lack the PATH of a shell, and
 * some would find the oldest Node of nvm first.
 */
export function findLauncher(script: string, node = process.execPath, platform = process.platform): Program {
  if (FETCHED.test(script)) {
    const args = ['-y', 'toolrack']
    // On Windows, npx is a script, which only a shell can start.
    return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args }
  }
  // Homebrew deletes the folder of a version when it installs the next, but keeps the link.
  return { command: node.replace(/\/Cellar\/([^/]+)\/[^/]+\//, '/opt/$1/'), args: [script] }
}
