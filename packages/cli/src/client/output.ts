// `--output`: the place for the files of a result. Checks as much as possible before the call,
// because a call may act, and cannot be repeated.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { createName, type ResultFile } from './files.ts'

interface Options {
  readonly output?: string | undefined
  readonly json?: boolean | undefined
}

/** @throws UsageError if saving there is impossible */
export function assertOutput({ output, json }: Options, { stdout }: Io): void {
  if (output === undefined) return
  if (output === '') throw new UsageError('--output: expected the name of a file or a folder, or -')
  if (output === '-' && json)
    throw new UsageError('--output - and --json: expected one of them, since both go to stdout')
  if (output === '-') {
    if (stdout.isTTY) throw new UsageError('--output - writes bytes, and stdout is a terminal; name a file')
    return
  }
  const folder = isFolder(output) ? output : dirname(output)
  if (!existsSync(folder)) throw new UsageError(`--output: the folder ${folder} is not there; make it first`)
  if (!statSync(folder).isDirectory()) throw new UsageError(`--output: ${folder} is a file, not a folder`)
  const written = !isFolder(output) && existsSync(output) ? output : folder
  if (!isWritable(written)) throw new UsageError(`--output: ${written} is not yours to write to`)
}

const isFolder = (output: string) => /[\\/]$/.test(output) || (existsSync(output) && statSync(output).isDirectory())

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * @returns the paths of the saved files
 * @throws CommandError, or an error of the disk
 */
export async function save(files: readonly ResultFile[], output: string, { stdout }: Io): Promise<readonly string[]> {
  if (isFolder(output)) return saveAll(files, output)
  const [first, ...others] = files
  if (others.length > 0) throw new CommandError(`the result has ${files.length} files; --output FOLDER saves all`)
  if (output === '-') {
    stdout.write(first!.bytes)
    return []
  }
  await writeFile(output, first!.bytes)
  return [output]
}

async function saveAll(files: readonly ResultFile[], folder: string): Promise<readonly string[]> {
  const paths: string[] = []
  for (const [index, file] of files.entries())
    paths.push(await writeNew(folder, createName(file, index + 1), file.bytes))
  return paths
}

const MAX_TRIES = 1000

/** Never replaces a file, since the server chooses the name. */
async function writeNew(folder: string, name: string, bytes: Buffer): Promise<string> {
  for (let copy = 0; copy < MAX_TRIES; copy++) {
    const file = join(folder, copy === 0 ? name : name.replace(/(\.[^.]*)?$/, `-${copy}$1`))
    try {
      await writeFile(file, bytes, { flag: 'wx' })
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new CommandError(`${join(folder, name)} is there already, and so are its copies`)
}
