// Options over options: groups are merged, so that one member of a group leaves the others as they are.
import type { ServerOptions } from '../../src/index.ts'

export function merged(options: ServerOptions, more: ServerOptions): ServerOptions {
  const both: Record<string, unknown> = { ...options }
  for (const [name, value] of Object.entries(more))
    both[name] = isGroup(value) ? { ...group(both[name]), ...value } : value
  return both
}

const group = (value: unknown): object => (isGroup(value) ? value : {})

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
