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
 * @throws Error that names the expected form
 */
export function readSecretFile(path: string): string {
  const text = decodeText(readSettingFile(path, MAX_SECRET_FILE_BYTES))
  if (text === '') throw new Error('expected a file with a secret, not an empty one')
  // No variable can have it.
  if (text.includes('\0')) throw new Error('expected a file of text, without NUL')
  return text
}
