// Patterns of expected messages: exact, but for what a server makes up. `$any` is anything; `$save:x` is a string that is
// kept, and that `$x` stands for from then on. No member more, none less.
import { isObject } from '../../src/protocol/messages.ts'

export type Saved = Map<string, unknown>

/** @returns where and how the value differs; nothing where it fits */
export function differs(value: unknown, pattern: unknown, saved: Saved, path = ''): string | undefined {
  if (typeof pattern === 'string' && pattern.startsWith('$')) return differsFromName(value, pattern, saved, path)
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return `${path} is no array: ${show(value)}`
    if (value.length !== pattern.length) return `${path} has ${value.length} items: ${show(value)}`
    return first(pattern.map((each, index) => differs(value[index], each, saved, `${path}/${index}`)))
  }
  if (isObject(pattern)) {
    if (!isObject(value)) return `${path} is no object: ${show(value)}`
    const strangers = Object.keys(value).filter(name => !Object.hasOwn(pattern, name))
    if (strangers.length > 0) return `${path} has ${strangers}: ${show(value)}`
    return first(Object.keys(pattern).map(name => differs(value[name], pattern[name], saved, `${path}/${name}`)))
  }
  return value === pattern ? undefined : `${path} is ${show(value)}, not ${show(pattern)}`
}

function differsFromName(value: unknown, pattern: string, saved: Saved, path: string): string | undefined {
  if (pattern === '$any') return value === undefined ? `${path} is missing` : undefined
  if (!pattern.startsWith('$save:')) return differs(value, saved.get(pattern.slice(1)), new Map(), path)
  if (typeof value !== 'string') return `${path} is no string: ${show(value)}`
  saved.set(pattern.slice(6), value)
  return undefined
}

/** The value with what was kept in the places of its names. */
export function filled(value: unknown, saved: Saved): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return saved.get(value.slice(1))
  if (Array.isArray(value)) return value.map(each => filled(each, saved))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, saved)]))
}

const first = (faults: (string | undefined)[]) => faults.find(fault => fault !== undefined)
const show = (value: unknown) => JSON.stringify(value)?.slice(0, 400)
