// The folder for data that outlives a command: sign-ins and names of servers. One row per system. A
// library would put the files among the preferences of apps on macOS.
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** XDG_CONFIG_HOME counts on every system if it is set. */
export function findConfigHome(
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = environment['HOME'] || homedir()
  const given = environment['XDG_CONFIG_HOME']
  if (given) return given
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return environment['APPDATA'] || join(home, 'AppData', 'Roaming')
  return join(home, '.config')
}

export const getConfigFolder = (): string => join(findConfigHome(), 'toolrack')

/** Creates the folder so that only its owner can read it. @returns its path */
export function makeConfigFolder(...names: readonly string[]): string {
  const folder = join(getConfigFolder(), ...names)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
