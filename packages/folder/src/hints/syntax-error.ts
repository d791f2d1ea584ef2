// Finds the file and line of a syntax error that Node reports without them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isCommonJs } from '../file-texts/syntax.ts'

export interface SourceLocation {
  readonly file: string
  readonly line: number
  readonly column?: number | undefined
}

const CHECK_LIMIT_MS = 5000
/** Maximum number of files that are checked for a syntax error. */
const MAX_CHECKED = 20

/** @param files the tool file, then files that it may import */
export async function findSyntaxError(error: Error, files: readonly string[]): Promise<SourceLocation | undefined> {
  if (!(error instanceof SyntaxError)) return undefined
  const inJson = findInJson(error.message, files)
  if (inJson !== undefined) return inJson
  for (const file of files.filter(each => CODE.test(each)).slice(0, MAX_CHECKED)) {
    const place = await findPlace(file, error.message)
    if (place !== undefined) return { file, ...place }
  }
  return undefined
}

/** For an imported JSON file, the message says everything. */
function findInJson(message: string, files: readonly string[]): SourceLocation | undefined {
  const [, path, line, column] = /^(.+\.json): .*\(line (\d+) column (\d+)\)$/s.exec(message) ?? []
  const file = files.find(each => path !== undefined && each === resolve(path))
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) }
}

const CODE = /\.([cm]?)([jt])s$/

/** @param message of the error: a file with another message is not the one that failed */
async function findPlace(file: string, message: string): Promise<Omit<SourceLocation, 'file'> | undefined> {
  const [, kind, language] = CODE.exec(file)!
  const source = readFileSync(file, 'utf8')
  const code = language === 't' ? (await runNode(STRIP_TYPES, source)).stdout : source
  const isCommon = kind === 'c' || (kind === '' && isCommonJs(source))
  const { stderr } = await runNode(['--check', `--input-type=${isCommon ? 'commonjs' : 'module'}`, '-'], code)
  // The line of the source, then carets under the token.
  const [, line, before] = /^\[stdin\]:(\d+)\n(?:.*\n( *)\^)?/m.exec(stderr) ?? []
  if (line === undefined || !stderr.includes(`SyntaxError: ${message}`)) return undefined
  return { line: Number(line), column: before === undefined ? undefined : before.length + 1 }
}

// `--check` takes JavaScript only. Types become blanks, so the lines stay. Runs in another process,
// because Node warns that the function is experimental.
const STRIP_TYPES = [
  '--no-warnings',
  '--eval',
  `process.stdout.write(require('node:module').stripTypeScriptTypes(require('node:fs').readFileSync(0, 'utf8')))`,
]

/** What Node prints, also if it fails. */
function runNode(args: readonly string[], input: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const options = { env: {}, timeout: CHECK_LIMIT_MS }
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) => resolve({ stdout, stderr }))
    // The process may end before it has read everything.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
