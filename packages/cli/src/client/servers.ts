// Names that the user gives to servers, in a file in the config folder. It contains URLs and names
// of variables, but no tokens.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from 'toolrack/protocol'
import { getConfigFolder, makeConfigFolder } from '../config-folder.ts'
import { CommandError } from '../errors.ts'
import { followLink, lockFile, replaceFile } from '../locked-file.ts'

export interface NamedServer {
  readonly url: string
  /** The variable with its token. */
  readonly tokenEnv?: string
}

export type NamedServers = Readonly<Record<string, NamedServer>>

const FILE = 'servers.json'
/** A command holds the file for milliseconds, so an older lock comes from a killed command. */
const LOCK = { staleMs: 10_000 }

/** Cannot be mistaken for a URL, an argument or a path. */
export const SERVER_NAME = /^[a-z][\w-]{0,31}$/i

const getFile = (): string => join(getConfigFolder(), FILE)

/** @throws CommandError if the file exists but is invalid */
export function readServers(): NamedServers {
  let text: string
  try {
    text = readFileSync(getFile(), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  const servers = parse(text)
  if (servers === undefined) throw new CommandError(`${getFile()} is not a list of servers; correct it, or delete it`)
  return servers
}

function parse(text: string): NamedServers | undefined {
  try {
    const value = JSON.parse(text) as unknown
    const servers: unknown = isObject(value) ? value['servers'] : undefined
    return isObject(servers) && Object.values(servers).every(isNamedServer)
      ? (servers as unknown as NamedServers)
      : undefined
  } catch {
    return undefined
  }
}

const isNamedServer = (value: unknown): boolean => isObject(value) && URL.canParse(String(value['url']))

export function findServer(word: string): NamedServer | undefined {
  if (!SERVER_NAME.test(word)) return undefined
  const servers = readServers()
  return Object.hasOwn(servers, word) ? servers[word] : undefined
}

/** One change after the other. @throws CommandError */
export async function changeServers(change: (servers: NamedServers) => NamedServers): Promise<void> {
  makeConfigFolder()
  const file = followLink(getFile())
  const unlock = await lockFile(file, LOCK)
  try {
    const former = statSync(file, { throwIfNoEntry: false })
    replaceFile(file, `${JSON.stringify({ servers: change(readServers()) }, undefined, 2)}\n`, former)
  } finally {
    unlock()
  }
}
