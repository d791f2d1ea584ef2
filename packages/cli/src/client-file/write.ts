// `toolrack connect CLIENT --write`: shows the change of the client's file, asks, and replaces the
// whole file. It never writes a token: the entry names the variable, or the place, with the token.
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import type { Client } from 'toolrack/clients'
import { decodeUtf8, toVisible } from 'toolrack/text'
import { ask } from '../ask.ts'
import { CommandError, UnansweredError, UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { followLink, replaceFile } from '../locked-file.ts'
import { editFile } from './edit.ts'
import { findPath } from './path.ts'

interface WriteOptions {
  readonly file?: string | undefined
  readonly isYes: boolean
}

/** Readable by others, since other programs read the files of a project. */
const NEW_FILE_MODE = 0o644

export async function writeClient(
  client: Pick<Client, 'title' | 'file'>,
  { file: given, isYes }: WriteOptions,
  io: Io,
): Promise<void> {
  const { title, file } = client
  if (file === undefined)
    throw new UsageError(`--write: ${title} has no file to write; without --write this shows how it connects`)
  const path = given ?? findPath(file)
  const name = toShown(path)
  const before = readIfThere(path)
  const after = editFile(before ?? '', file, name)
  if (after === before) return io.print(`${name} has it already.`)
  io.print(formatChange(name, before ?? '', after, io))
  if (!isYes && !io.isInteractive) throw new UnansweredError('nothing is written; --yes writes it')
  if (!isYes && !(await isAgreed(`Write ${name}?`))) throw new CommandError('nothing is written')
  if (readIfThere(path) !== before) throw new CommandError(`${name} has changed meanwhile; run this again`)
  write(path, after)
  io.print(`${before === undefined ? 'Made' : 'Changed'} ${name}.`)
  if (file.note !== undefined) io.note(file.note.replaceAll('`', ''))
}

async function isAgreed(message: string): Promise<boolean> {
  const { confirm } = await import('../client/prompts.ts')
  return ask(confirm, { message, default: true })
}

function readIfThere(path: string): string | undefined {
  try {
    return decode(readFileSync(path), path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Keeps the byte order mark.
 *
 * @throws CommandError if the bytes are not text, instead of replacing them
 */
function decode(bytes: Buffer, path: string): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new CommandError(`${toShown(path)}: expected text in UTF-8, so nothing is written`)
  return text
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  replaceFile(followLink(path), text, statSync(path, { throwIfNoEntry: false }), NEW_FILE_MODE)
}

/** The path from the current folder, if the file is in there. */
function toShown(path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' || short.startsWith('..') ? path : short
}

const STYLES = { '+': 'green', '-': 'red', '@': 'cyan' } as const

/** Lines with `+` and `-`, as `diff -u` prints them. */
function formatChange(name: string, before: string, after: string, { paint }: Io): string {
  const patch = createTwoFilesPatch(name, name, before, after, '', '', { context: 3 })
  const lines = patch
    .replace(/^Index: .*\n=+\n/, '')
    .trimEnd()
    .split(/\r?\n/)
  return lines
    .map((line, index) => {
      const style = index < 2 ? 'bold' : STYLES[line[0] as keyof typeof STYLES]
      return style === undefined ? toVisible(line) : paint(style, toVisible(line))
    })
    .join('\n')
}
