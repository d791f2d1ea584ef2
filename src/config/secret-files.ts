// Secrets in files, as Docker and Kubernetes mount them: NAME_FILE names the file that has NAME.
// Errors tell neither the content nor the path: some set NAME_FILE to the secret itself.
import { decodeText, readSettingFile } from './setting-file.ts'

export const MAX_SECRET_FILE_BYTES = 64 * 1024

/** `JWT_SECRET` → `JWT_SECRET_FILE`. */
export const toFileName = (name: string): string => `${name}_FILE`

/** @returns `JWT_SECRET` of `JWT_SECRET_FILE`; undefined of other names */
export const fromFileName = (name: string): string | undefined => /^(.+)_FILE$/.exec(name)?.[1]

/**
 * The text of a file without the newline at its end.
 *
 * @throws Error saying what was expected
 */
export function readSecretFile(path: string): string {
  const text = decodeText(readSettingFile(path, MAX_SECRET_FILE_BYTES))
  if (text === '') throw new Error('expected a file with a secret, not an empty one')
  // No variable can have it.
  if (text.includes('\0')) throw new Error('expected a file of text, without NUL')
  return text
}

/**
 * The secrets of these names that files have.
 *
 * @param displayName what the user calls the variable of a file
 * @throws Error naming the variable
 */
export function readSecretFiles(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  displayName = (variable: string): string => variable,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name of names) {
    const file = toFileName(name)
    const path = environment[file] ?? ''
    if (path === '') continue
    if ((environment[name] ?? '') !== '')
      throw new Error(`${displayName(file)}: expected either it or ${name}, not both`)
    try {
      found.set(name, readSecretFile(path))
    } catch (error) {
      throw new Error(`${displayName(file)}: ${(error as Error).message}`)
    }
  }
  return found
}
