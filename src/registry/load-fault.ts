// Why a tool file did not load, and in which line: what its author needs to see.
import { execFile } from 'node:child_process'
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { fileName } from './file-name.ts'

export interface LoadFault {
  readonly reason: string
  /** The faulty line of the file itself. */
  readonly line?: number | undefined
  /** Where the fault is when it is in another file of the folder: path and line. */
  readonly at?: string | undefined
}

interface Place {
  readonly file: string
  readonly line: number
}

const CHECK_LIMIT_MS = 5000
/** Most files that are searched for a syntax error. */
const MAX_CHECKED = 20

interface Surroundings {
  /** The tools folder. */
  readonly root: string
  /** Other files of the folder, where the fault may be instead. */
  readonly helpers: readonly string[]
  /** What a thrown value says, as one line. */
  explain(thrown: unknown): string
}

/** @param thrown anything: what cannot be looked at, such as a proxy, has a reason and no line */
export async function loadFaultOf(
  thrown: unknown,
  file: string,
  { root, helpers, explain }: Surroundings,
): Promise<LoadFault> {
  const reason = explain(thrown)
  if (!types.isNativeError(thrown)) return { reason }
  const place = placeIn(stackIn(thrown), root) ?? (await placeOfSyntaxError(thrown, [file, ...helpers]))
  if (place === undefined) return { reason }
  return place.file === file ? { reason, line: place.line } : { reason, at: `${fileName(place.file)}:${place.line}` }
}

/** Much of a stack may be its message, which the author chose. */
const MAX_STACK = 10_000

/** A stack may be a getter that throws, or anything else. */
function stackIn(error: Error): string {
  try {
    const stack: unknown = error.stack
    return typeof stack === 'string' ? stack.slice(0, MAX_STACK) : ''
  } catch {
    return ''
  }
}

// A stack names modules by URL, CommonJS and TypeScript that cannot be parsed by path.
function placeIn(stack: string, root: string): Place | undefined {
  const base = root.endsWith(sep) ? root : root + sep
  const url = pathToFileURL(base).href
  const place = new RegExp(`(${escapeRegExp(url)}|${escapeRegExp(base)})([^\\n?:]+)(?:\\?[^\\n:]*)?:(\\d+)`).exec(stack)
  if (place === null) return undefined
  const [, start, rest, line] = place
  return { file: start === url ? fileURLToPath(url + rest) : base + rest, line: Number(line) }
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

// The syntax error of a module does not say where it is; only `node --check` does.
async function placeOfSyntaxError(error: Error, files: readonly string[]): Promise<Place | undefined> {
  if (!(error instanceof SyntaxError)) return undefined
  for (const file of files.slice(0, MAX_CHECKED)) {
    const line = await lineOfSyntaxError(file)
    if (line !== undefined) return { file, line }
  }
  return undefined
}

function lineOfSyntaxError(file: string): Promise<number | undefined> {
  return new Promise(resolve => {
    execFile(process.execPath, ['--check', file], { env: {}, timeout: CHECK_LIMIT_MS }, (_error, _stdout, stderr) => {
      const line = /^.*:(\d+)$/m.exec(stderr)?.[1]
      resolve(line === undefined ? undefined : Number(line))
    })
  })
}
