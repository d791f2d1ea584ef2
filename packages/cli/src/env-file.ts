// `.env`: variables of a project on a developer's machine, in the folder in which the server starts.
// Variables of the process take precedence. In production such a file is only read if it is named.
import { existsSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, decodeText, isProduction, readSettingFile } from 'toolrack/settings'

export const ENV_FILE = '.env'
const MAX_BYTES = 1024 * 1024

export interface EnvFile {
  readonly file: string
  /** The variables that the file has set. */
  readonly names: readonly string[]
  /** Variables of the file that were set already. */
  readonly outdone: readonly string[]
  /** Whether the file exists but was not read, because this is production. */
  readonly isIgnored: boolean
}

/**
 * Sets variables of the file that the process lacks.
 *
 * @param named the file that the user names, which must exist; default: `.env`, if it exists
 * @returns undefined if there is no file
 * @throws ConfigError naming the file and the invalid line
 */
export function loadEnvFile(named?: string, environment: NodeJS.ProcessEnv = process.env): EnvFile | undefined {
  const file = named ?? ENV_FILE
  if (named === undefined && !existsSync(file)) return undefined
  if (named === undefined && isProduction(environment)) return { file, names: [], outdone: [], isIgnored: true }
  const variables = Object.entries(readVariables(file))
  const isSet = ([name]: readonly [string, unknown]) => environment[name] !== undefined
  const outdone = variables.filter(isSet).map(([name]) => name)
  const own = variables.filter(each => !isSet(each))
  for (const [name, value] of own) environment[name] = value
  return { file, names: own.map(([name]) => name), outdone, isIgnored: false }
}

/** One line about the file, without values; undefined if it is not worth a line. */
export function describeEnvFile({ file, names, outdone, isIgnored }: EnvFile): string | undefined {
  if (isIgnored) return `${file} is not read with NODE_ENV=production; --env-file ${file} reads it`
  const kept = outdone.length === 0 ? '' : `without ${outdone.join(', ')}, which the environment sets`
  if (names.length === 0) return kept === '' ? undefined : `read no variable of ${file}: ${kept}`
  const count = `${names.length} variable${names.length === 1 ? '' : 's'}`
  return `read ${count} of ${file}: ${names.join(', ')}${kept && `; ${kept}`}`
}

function readVariables(file: string): Record<string, string> {
  let text: string
  try {
    text = decodeText(readSettingFile(file, MAX_BYTES))
  } catch (error) {
    throw new ConfigError(`${file}: ${(error as Error).message}, with one NAME=value a line`)
  }
  const variables = parseEnv(text) as Record<string, string>
  const stray = findStrayLine(text, Object.values(variables))
  if (stray !== undefined) throw new ConfigError(`${file}:${stray}: expected NAME=value, or # before a comment`)
  return variables
}

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=/
const COMMENT = /^\s*(?:#|$)/

/** Node's parser skips lines that it does not understand. @returns the number of the first such line */
function findStrayLine(text: string, values: readonly string[]): number | undefined {
  const isWithinValue = (line: string) => values.some(value => value.includes('\n') && value.includes(line.trimEnd()))
  const isStray = (line: string) =>
    ![ASSIGNMENT, COMMENT].some(form => form.test(line)) && !isWithinValue(unquote(line))
  const at = text.split(/\r?\n/).findIndex(isStray)
  return at === -1 ? undefined : at + 1
}

/** The last line of a value ends with the quote. */
const unquote = (line: string) => line.replace(/["'`]\s*(?:#.*)?$/, '')
