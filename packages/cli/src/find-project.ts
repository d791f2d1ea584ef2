// The project of a server: the nearest package.json with a name, from its tools folder upwards.
import { dirname, join, resolve } from 'node:path'
import { readBoundedFile } from 'toolrack/access'
import type { Project } from 'toolrack/settings'

const MAX_BYTES = 1024 * 1024
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxLength

/** @returns undefined if there is none */
export function findProject(folder: string): Project | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const project = readProject(join(path, 'package.json'))
    // One without a name only tells Node how to read the files beside it.
    if (project !== undefined || path === dirname(path)) return project
  }
}

// Skips a file that cannot be read or parsed: npm reports its faults.
function readProject(file: string): Project | undefined {
  try {
    const { bytes } = readBoundedFile(file, MAX_BYTES) ?? {}
    if (bytes === undefined || bytes.length > MAX_BYTES) return undefined
    const { name, version } = JSON.parse(bytes.toString()) as { name?: unknown; version?: unknown }
    return isText(name, 128) ? { name, version: isText(version, 64) ? version : undefined } : undefined
  } catch {
    return undefined
  }
}
