// Why a tool file did not load, and in which line: what its author needs to see.
import { execFile } from 'node:child_process'
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { types } from 'node:util'
import type { Log } from '../../request/exchange.ts'
import { fileName } from './modules.ts'
import type { SkippedEntry } from './scan.ts'

export interface LoadErrorReport {
  readonly reason: string
  /** The faulty line of the file itself. */
  readonly line?: number | undefined
  /** Where the fault is when it is in another file of the folder: path and line. */
  readonly at?: string | undefined
}

interface SourceLocation {
  readonly file: string
  readonly line: number
}

const CHECK_LIMIT_MS = 5000
/** Most files that are searched for a syntax error. */
const MAX_CHECKED = 20

interface ErrorContext {
  /** The tools folder. */
  readonly root: string
  /** Other files of the folder, where the fault may be instead. */
  readonly helpers: readonly string[]
  /** What a thrown value says, as one line. */
  explain(thrown: unknown): string
}

/** @param thrown anything: what cannot be looked at, such as a proxy, has a reason and no line */
export async function describeLoadError(
  thrown: unknown,
  file: string,
  { root, helpers, explain }: ErrorContext,
): Promise<LoadErrorReport> {
  const reason = explain(thrown)
  if (!types.isNativeError(thrown)) return { reason }
  const place = findLocation(readBoundedStack(thrown), root) ?? (await findSyntaxError(thrown, [file, ...helpers]))
  if (place === undefined) return { reason }
  return place.file === file ? { reason, line: place.line } : { reason, at: `${fileName(place.file)}:${place.line}` }
}

/** Much of a stack may be its message, which the author chose. */
const MAX_STACK_LENGTH = 10_000

/** A stack may be a getter that throws, or anything else. */
function readBoundedStack(error: Error): string {
  try {
    const stack: unknown = error.stack
    return typeof stack === 'string' ? stack.slice(0, MAX_STACK_LENGTH) : ''
  } catch {
    return ''
  }
}

// A stack names modules by URL, CommonJS and TypeScript that cannot be parsed by path.
function findLocation(stack: string, root: string): SourceLocation | undefined {
  const base = root.endsWith(sep) ? root : root + sep
  const url = pathToFileURL(base).href
  const place = new RegExp(`(${escapeRegExp(url)}|${escapeRegExp(base)})([^\\n?:]+)(?:\\?[^\\n:]*)?:(\\d+)`).exec(stack)
  if (place === null) return undefined
  const [, start, rest, line] = place
  return { file: start === url ? fileURLToPath(url + rest) : base + rest, line: Number(line) }
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

// The syntax error of a module does not say where it is; only `node --check` does.
async function findSyntaxError(error: Error, files: readonly string[]): Promise<SourceLocation | undefined> {
  if (!(error instanceof SyntaxError)) return undefined
  for (const file of files.slice(0, MAX_CHECKED)) {
    const line = await findSyntaxErrorLine(file)
    if (line !== undefined) return { file, line }
  }
  return undefined
}

function findSyntaxErrorLine(file: string): Promise<number | undefined> {
  return new Promise(resolve => {
    execFile(process.execPath, ['--check', file], { env: {}, timeout: CHECK_LIMIT_MS }, (_error, _stdout, stderr) => {
      const line = /^.*:(\d+)$/m.exec(stderr)?.[1]
      resolve(line === undefined ? undefined : Number(line))
    })
  })
}

// Tells what in a tools folder cannot be read: each entry once, for as long as it stays so, however
// often that is found.

/** Entries that are named at a time. */
const MAX_LOGGED_ENTRIES = 100

export class UnreadableEntryLog {
  readonly #log: Log
  /** The reasons that were told, by path. */
  readonly #logged = new Map<string, string>()
  #unnamed = 0

  constructor(log: Log) {
    this.#log = log
  }

  log(faults: ReadonlyMap<string, SkippedEntry>): void {
    for (const path of this.#logged.keys()) if (!faults.has(path)) this.#logged.delete(path)
    let unnamed = 0
    for (const [path, { reason }] of faults) {
      if (this.#logged.get(path) === reason) continue
      if (this.#logged.size >= MAX_LOGGED_ENTRIES && !this.#logged.has(path)) {
        unnamed++
        continue
      }
      this.#logged.set(path, reason)
      this.#log.error({ file: fileName(path), reason }, 'entry of the tools folder not read')
    }
    if (unnamed > 0 && unnamed !== this.#unnamed) {
      this.#log.error({ more: unnamed }, 'more entries of the tools folder are not read')
    }
    this.#unnamed = unnamed
  }
}
