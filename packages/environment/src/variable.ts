// One variable of a setting, without what comes along with its value by accident.
import { ConfigError, SECRETS } from 'toolrack/settings'
import { isServiceLink } from './misspelling.ts'
import { readRawValue } from './raw-value.ts'

/**
 * @returns undefined also for an empty one: compose passes unset variables so
 * @throws ConfigError naming the variable
 */
export function findVariable(
  name: string,
  environment: NodeJS.ProcessEnv,
  displayName: (name: string) => string,
): string | undefined {
  const value = environment[name] ?? ''
  if (value === '' || isServiceLink(name, value)) return undefined
  try {
    // Of an empty one, a file with the line ends of Windows leaves a blank.
    return readRawValue(value, { isSecret: SECRETS.some(secret => secret === name) }) || undefined
  } catch (error) {
    throw new ConfigError(`${displayName(name)}: ${(error as Error).message}`)
  }
}
