// A schema as a question for faults: compiled by the first value that it is asked about, and never again.
import { compile, type Schema, type Validator } from './validator.ts'

/** @returns the first fault, named by its path behind `path`; undefined where there is none */
export type IssueFinder = (value: unknown, path: string) => string | undefined

export function createIssueFinder(schema: Schema): IssueFinder {
  let validator: Validator | undefined
  return (value, path) => {
    validator ??= compile(schema)
    if (validator.isValid(value)) return undefined
    const [fault] = validator.issues(value, 1)
    return `${fault?.path === '(root)' ? path : `${path}.${fault?.path}`} ${fault?.expected}`
  }
}

/** The first fault of several things. */
export function findFirstIssue<K, T>(
  entries: Iterable<[name: K, entry: T]>,
  find: (entry: T, name: K) => string | undefined,
): string | undefined {
  for (const [name, entry] of entries) {
    const fault = find(entry, name)
    if (fault !== undefined) return fault
  }
  return undefined
}
