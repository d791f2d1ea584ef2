// Says what to write instead, for load errors that only the source explains.
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { SourceLocation } from './syntax-error.ts'

interface Source {
  readonly text: string
  /** The line of the error. */
  readonly line: string
  /** The extension of the file. */
  readonly ending: string
}

type FindFix = (source: Source, name: string) => string | undefined

const RULES: readonly [message: RegExp, fix: FindFix][] = [
  [/^Cannot access '([\w$]{1,100})' before initialization/, fixAccess],
  [/^Invalid or unexpected token/, ({ line }) => (/^\s*@\w/.test(line) ? DECORATOR_FIX : undefined)],
  // The last is what Node says if hooks, as of a test runner, read the file as an ES module.
  [/^Cannot use import statement outside|^Unexpected token 'export'|^module is not defined in ES module/, fixModule],
]

const DECORATOR_FIX = 'Node reads no decorators: write it without them'

/** @throws Error if the file cannot be read */
export function findSourceFix({ message }: Error, { file, line }: SourceLocation): string | undefined {
  for (const [found, fix] of RULES) {
    const match = found.exec(message)
    if (match === null) continue
    const text = readFileSync(file, 'utf8')
    return fix({ text, line: text.split('\n')[line - 1] ?? '', ending: extname(file) }, match[1] ?? '')
  }
  return undefined
}

function fixAccess({ text }: Source, name: string): string {
  const isImported = [...text.matchAll(/\bimport\b([^'"]*)\bfrom\b/g)].some(([, names]) => hasWord(names!, name))
  return isImported
    ? 'two files import each other: move what both need into a third one'
    : 'move its declaration above this line'
}

const hasWord = (text: string, word: string) => text.split(/[^\w$]+/).includes(word)

function fixModule({ ending }: Source): string | undefined {
  return /^\.c[jt]s$/.test(ending)
    ? `rename it to ${ending.replace('c', '')}, or write require and module.exports`
    : undefined
}
