// Finds the file and line of a syntax error that Node reports without them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isCommonJs } from './syntax.ts'

export interface SourceLocation {
  readonly file: string
  readonly line: number
}

const CHECK_LIMIT_MS = 5000
/** Files that are checked for a syntax error. */
const MAX_CHECKED = 20

/** @param files the tool file, then those that it may import */
export async function findSyntaxError(error: Error, files: readonly string[]): Promise<SourceLocation | undefined> {
  if (!(error instanceof SyntaxError)) return undefined
  const inJson = findInJson(error.message, files)
  if (inJson !== undefined) return inJson
  for (const file of files.filter(each => CODE.test(each)).slice(0, MAX_CHECKED)) {
    const line = await findLine(file, error.message)
    if (line !== undefined) return { file, line }
  }
  return undefined
}

/** Of an imported JSON file, the message has all. */
function findInJson(message: string, files: readonly string[]): SourceLocation | undefined {
  const [, path, line] = /^(.+\.json): .*\(line (\d+) column \d+\)$/s.exec(message) ?? []
  const file = files.find(each => path !== undefined && each === resolve(path))
  return file === undefined ? undefined : { file, line: Number(line) }
}

const CODE = /\.([cm]?)([jt])s$/

/** @param message of the error: a file with another error is not the one that failed */
async function findLine(file: string, message: string): Promise<number | undefined> {
  const [, kind, language] = CODE.exec(file)!
  const source = readFileSync(file, 'utf8')
  const code = language === 't' ? (await runNode(STRIP_TYPES, source)).stdout : source
  const isCommon = kind === 'c' || (kind === '' && isCommonJs(source))
  const { stderr } = await runNode(['--check', `--input-type=${isCommon ? 'commonjs' : 'module'}`, '-'], code)
  const line = /^\[stdin\]:(\d+)$/m.exec(stderr)?.[1]
  return line !== undefined && stderr.includes(`SyntaxError: ${message}`) ? Number(line) : undefined
}

// `--check` takes JavaScript only. Types become blanks, so the lines stay. In a process of its own,
// since Node warns that the function is experimental.
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
    // It may end before it has read all.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
