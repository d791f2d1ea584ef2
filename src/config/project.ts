// The project that a server belongs to: the nearest package.json of its tools folder that has a
// name.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface Project {
  readonly name: string
  readonly version: string | undefined
}

const MAX_BYTES = 1024 * 1024
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxLength

/** @returns undefined if there is none */
export function findProject(folder: string): Project | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const file = join(path, 'package.json')
    const project = isFile(file) ? readProject(file) : undefined
    // One without a name only tells Node how to read the files beside it.
    if (project !== undefined || path === dirname(path)) return project
  }
}

function isFile(path: string): boolean {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= MAX_BYTES
  } catch {
    return false
  }
}

function readProject(file: string): Project | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown }
    return isText(name, 128) ? { name, version: isText(version, 64) ? version : undefined } : undefined
  } catch {
    // It is not ours to say what is wrong with it.
    return undefined
  }
}
