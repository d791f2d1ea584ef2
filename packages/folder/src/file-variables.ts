// Variables that files have: `GITHUB_TOKEN` by `GITHUB_TOKEN_FILE`.
import { fromFileName, hasSetting, readSecretFile, toFileName } from 'toolrack/settings'

/** The names of variables that are not set, and have a file. */
export const findFileVariables = (environment: NodeJS.ProcessEnv = process.env): readonly string[] =>
  Object.entries(environment)
    .filter(([, path]) => path !== undefined && path !== '')
    .map(([name]) => fromFileName(name))
    .filter(name => name !== undefined)

export const getFilePath = (name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined =>
  environment[toFileName(name)] || undefined

/**
 * Sets a variable to what its file has, unless it is set.
 *
 * @param own what this has set it to before, which counts as not set
 * @returns undefined if it is set otherwise, or has no file
 * @throws Error naming the variable of the file
 */
export function setFromFile(
  name: string,
  { own, environment = process.env }: { own?: string | undefined; environment?: NodeJS.ProcessEnv } = {},
): string | undefined {
  const path = getFilePath(name, environment)
  if (path === undefined || (hasSetting(name, environment) && environment[name] !== own)) return undefined
  try {
    environment[name] = readSecretFile(path)
  } catch (error) {
    throw new Error(`${toFileName(name)}: ${(error as Error).message}`)
  }
  return environment[name]
}
