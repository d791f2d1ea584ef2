// The project that a server belongs to: the nearest package.json of its tools folder.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface Project {
  readonly name: string
  readonly version: string | undefined
}

const MAX_BYTES = 1024 * 1024
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxLength

/** @returns undefined if there is no package.json above the folder, or the nearest has no name */
export function findProject(folder: string): Project | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const file = join(path, 'package.json')
    if (isFile(file)) return readProject(file)
    if (path === dirname(path)) return undefined
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
