// Refuses variables that look like misspelt settings.
import { ConfigError, fromFileName, SETTINGS, toFileName } from 'toolrack/settings'
import { findMisspellings } from './misspelling.ts'
import { SECRET_FILES } from './secret-files.ts'

const isVariable = (name: string) => Object.hasOwn(SETTINGS, name) || SECRET_FILES.includes(name)

/** @throws ConfigError naming a misspelt setting of the server */
export const assertSettings = (environment: NodeJS.ProcessEnv): void =>
  assertNoMisspelling([...Object.keys(SETTINGS), ...SECRET_FILES], isVariable, environment)

/** The same for the variables of tools. @throws ConfigError naming a misspelt one */
export function assertToolSettings(names: ReadonlySet<string>, environment: NodeJS.ProcessEnv = process.env): void {
  const isKnown = (name: string) => names.has(name) || names.has(fromFileName(name) ?? '') || isVariable(name)
  assertNoMisspelling([...names, ...[...names].map(toFileName)], isKnown, environment)
}

function assertNoMisspelling(
  wanted: readonly string[],
  isKnown: (name: string) => boolean,
  environment: NodeJS.ProcessEnv,
): void {
  const [slip] = findMisspellings(environment, wanted, isKnown)
  if (slip !== undefined) throw new ConfigError(`${slip.name} is not a setting; did you mean ${slip.meant}?`)
}
