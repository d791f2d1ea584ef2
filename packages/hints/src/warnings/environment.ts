// Finds variables of the environment that an isolated tool reads without saying so: its process does
// not get them. They stand in the source of its handler, and nowhere else.
import { isGiven } from 'toolrack/definitions'

/** Variables that code reads by name. */
const READ = /\bprocess\.env(?:\.|\[['"`])([A-Za-z_]\w*)/g
/** `const { NAME, OTHER: name = '' } = process.env` */
const TAKEN_APART = /\{([^{}]*)\}\s*=\s*process\.env\b(?!\.|\[)/g

function listRead(code: string): string[] {
  const taken = [...code.matchAll(TAKEN_APART)].flatMap(([, names]) => names!.split(','))
  const names = taken.flatMap(each => /^\s*([A-Za-z_]\w*)/.exec(each)?.[1] ?? [])
  return [...code.matchAll(READ)].map(([, name]) => name!).concat(names)
}

/** The variables that the code reads, and the process of its tool does not get. */
export const findUndeclared = (code: string, declared: readonly string[]): readonly string[] => [
  ...new Set(listRead(code).filter(name => !isGiven(name, declared))),
]
