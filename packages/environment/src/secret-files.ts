// The files of secret settings: `JWT_SECRET_FILE` names the one that has `JWT_SECRET`.
import { ConfigError, readSecretFile, SECRETS, SETTINGS, type SecretFile, toFileName } from 'toolrack/settings'
import { readRawValue } from './raw-value.ts'
import { findVariable } from './variable.ts'

/** The variables that name files of secrets. */
export const SECRET_FILES: readonly string[] = SECRETS.map(toFileName)

/**
 * @param displayName what the user calls a setting
 * @throws ConfigError naming the variable of a file
 */
export function findSecretFiles(
  environment: NodeJS.ProcessEnv = process.env,
  displayName = (name: string): string => name,
): readonly SecretFile[] {
  return SECRETS.flatMap(name => {
    const path = findVariable(toFileName(name), environment, displayName)
    if (path === undefined) return []
    const read = () => SETTINGS[name].type.parse(readRawValue(readSecretFile(path), { isSecret: true })) as string
    return [{ name, path, label: displayName(toFileName(name)), read }]
  })
}

/** The texts of the files, by the name of the secret. @throws ConfigError naming the variable of a file */
export function readSecretFiles(
  environment: NodeJS.ProcessEnv,
  displayName: (name: string) => string,
): ReadonlyMap<string, string> {
  return new Map(findSecretFiles(environment, displayName).map(file => [file.name, readText(file, environment)]))
}

function readText({ name, path, label }: SecretFile, environment: NodeJS.ProcessEnv): string {
  if ((environment[name] ?? '') !== '') throw new ConfigError(`${label}: expected either it or ${name}, not both`)
  try {
    return readSecretFile(path)
  } catch (error) {
    throw new ConfigError(`${label}: ${(error as Error).message}`)
  }
}
