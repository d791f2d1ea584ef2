// Reads the settings of the environment.
import { assertEndpointPath, readSettings, type Settings, toFileName } from 'toolrack/settings'
import { readSecretFiles } from './secret-files.ts'
import { assertSettings } from './spelling.ts'
import { findVariable } from './variable.ts'

/**
 * @param displayName what the user calls a setting: its variable, or an option of the command line
 * @param lists win over the environment; their values may contain commas
 * @throws ConfigError naming the variable, also if its name looks misspelt
 */
export function readEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  displayName = (name: string): string => name,
  lists: Readonly<Partial<Record<string, readonly string[]>>> = {},
): Settings {
  // First, since other errors would confuse the operator who misspelt a name.
  assertSettings(environment)
  const files = readSecretFiles(environment, displayName)
  const nameGiven = (name: string) => displayName(files.has(name) ? toFileName(name) : name)
  const given = { ...environment, ...Object.fromEntries(files) }
  const settings = readSettings((name, { type }) => {
    const value = lists[name] ?? findVariable(name, given, nameGiven)
    return typeof value === 'string' ? type.parse(value) : value && type.read(value)
  }, nameGiven)
  assertEndpointPath(settings, nameGiven, { isPlugin: false })
  return settings
}
