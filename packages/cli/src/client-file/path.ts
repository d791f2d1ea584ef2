// Finds the path of a client's file on this machine.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ClientFile, System } from 'toolrack/clients'

type Environment = Readonly<Record<string, string | undefined>>

/** @returns an absolute path; for a file of a project, in the current folder */
export function findPath(
  { path }: Pick<ClientFile, 'path'>,
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const written = typeof path === 'string' ? path : path[toSystem(platform)]
  const paths = [written].flat().map(each => toAbsolute(each, environment))
  return paths.find(each => existsSync(dirname(each))) ?? paths.at(-1)!
}

function toAbsolute(path: string, environment: Environment): string {
  const [, root, rest] = /^(~|%APPDATA%|%LOCALAPPDATA%)\/(.*)$/.exec(path) ?? []
  if (root === undefined) return resolve(path)
  const home = environment['HOME'] || homedir()
  if (root === '%APPDATA%') return join(environment['APPDATA'] || join(home, 'AppData', 'Roaming'), rest!)
  if (root === '%LOCALAPPDATA%') return join(environment['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), rest!)
  const [, inConfig] = /^\.config\/(.*)$/.exec(rest!) ?? []
  const config = environment['XDG_CONFIG_HOME']
  return config && inConfig !== undefined ? join(config, inConfig) : join(home, rest!)
}

/** Other systems, such as FreeBSD, use the paths of Linux. */
const toSystem = (platform: NodeJS.Platform): System =>
  platform === 'darwin' || platform === 'win32' ? platform : 'linux'
