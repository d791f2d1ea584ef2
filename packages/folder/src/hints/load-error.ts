// Finds the reason and line of a tool file's load error, and what to write instead.
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { listToolrackExports } from '../modules.ts'
import { fileName } from '../tool-roots.ts'
import { findFailedImport } from './failed-import.ts'
import { findLoadFix } from './load-fixes.ts'
import { findSyntaxError, type SourceLocation } from './syntax-error.ts'

export interface LoadErrorReport {
  readonly reason: string
  /** The line of the error in the file itself. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** Path and line, if the error is in another file. */
  readonly at?: string | undefined
}

interface ErrorContext {
  /** The tools folder. */
  readonly root: string
  /** Other files of the folder, and those imported from elsewhere, where the error may be instead. */
  readonly helpers: readonly string[]
  /** Formats a thrown value as one line. */
  explain(thrown: unknown): string
}

/** @param thrown any value; one that is not an error has a reason but no line */
export async function describeLoadError(
  thrown: unknown,
  file: string,
  { root, helpers, explain }: ErrorContext,
): Promise<LoadErrorReport> {
  if (!types.isNativeError(thrown)) return { reason: explain(thrown) }
  const stack = readBoundedStack(thrown)
  const inFolder = findLocation(stack, root.endsWith(sep) ? root : root + sep)
  const inStack = inFolder ?? findFirst(helpers, helper => findLocation(stack, helper))
  const place = inStack ?? tryToFindImport(thrown, file) ?? (await tryToFindSyntaxError(thrown, [file, ...helpers]))
  const fix = await tryToFix(thrown, file, place)
  const said = explainWithCause(thrown, explain)
  const reason = fix === undefined ? said : `${said}; ${fix}`
  if (place === undefined) return { reason }
  if (place.file === file) return { reason, line: place.line, column: place.column }
  return { reason, at: `${fileName(place.file)}:${place.line}` }
}

/** For an error of `fetch`, only the cause says what failed. */
function explainWithCause(error: Error, explain: ErrorContext['explain']): string {
  const cause = readCause(error)
  return cause === undefined ? explain(error) : `${explain(error)}: ${explain(cause)}`
}

/** The cause; the first one if several addresses have failed. It may be a getter that throws. */
function readCause(error: Error): Error | undefined {
  try {
    const { cause } = error
    const first = cause instanceof AggregateError ? cause.errors[0] : cause
    return types.isNativeError(first) ? first : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined if no fix is known, or the error cannot be read */
async function tryToFix(error: Error, file: string, place: SourceLocation | undefined): Promise<string | undefined> {
  try {
    return findLoadFix({ error, file, place, exports: await listToolrackExports() })
  } catch {
    // The message and other fields may be getters that throw, and a folder may be unreadable.
    return undefined
  }
}

/** A stack starts with its message, which may be long. */
const MAX_STACK_LENGTH = 10_000

/** The stack may be a getter that throws, or not a string. */
function readBoundedStack(error: Error): string {
  try {
    const stack: unknown = error.stack
    return typeof stack === 'string' ? stack.slice(0, MAX_STACK_LENGTH) : ''
  } catch {
    return ''
  }
}

function findFirst<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * A stack names ES modules by URL, but CommonJS and unparsable TypeScript by path.
 *
 * @param base a file, or a folder that ends with a separator
 */
function findLocation(stack: string, base: string): SourceLocation | undefined {
  const url = pathToFileURL(base).href
  const rest = base.endsWith(sep) ? '[^\\n?:]+' : ''
  const place = new RegExp(
    `(${escapeRegExp(url)}|${escapeRegExp(base)})(${rest})(?:\\?[^\\n:]*)?:(\\d+)(?::(\\d+))?`,
  ).exec(stack)
  if (place === null) return undefined
  const [, start, name, line, column] = place
  const position = { line: Number(line), column: column === undefined ? undefined : Number(column) }
  return { file: start === url ? fileURLToPath(url + name) : base + name, ...position }
}

/** @returns undefined if the error is not a syntax error, or the files have changed since */
async function tryToFindSyntaxError(error: Error, files: readonly string[]): Promise<SourceLocation | undefined> {
  try {
    return await findSyntaxError(error, files)
  } catch {
    return undefined
  }
}

/** @returns undefined if the error is not about an import, or its file has no such import */
function tryToFindImport(error: Error, file: string): SourceLocation | undefined {
  try {
    return findFailedImport(error, file)
  } catch {
    // The message may be a getter that throws, and the file may be unreadable.
    return undefined
  }
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
