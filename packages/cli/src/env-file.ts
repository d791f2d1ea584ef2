// `.env`: variables of a project on a developer's machine, in the folder that the server is started
// in. Variables of the process win. Production reads no such file unless it is named.
import { existsSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, decodeText, isProduction, readSettingFile } from 'toolrack/settings'

export const ENV_FILE = '.env'
const MAX_BYTES = 1024 * 1024

export interface EnvFile {
  readonly file: string
  /** The variables that it has set. */
  readonly names: readonly string[]
  /** Those that it has, and that were set already. */
  readonly outdone: readonly string[]
  /** Whether it is there and was not read, since this is production. */
  readonly isIgnored: boolean
}

/**
 * Sets what the file has and the process has not.
 *
 * @param named the file that the user names, which has to be there; default: `.env`, if it is there
 * @returns undefined if there is none
 * @throws ConfigError naming the file, and the line that is not valid
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

/** One line about the file, without a value; undefined if nothing is worth a line. */
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

/** Node's parser skips what it does not understand. @returns the number of the first such line */
function findStrayLine(text: string, values: readonly string[]): number | undefined {
  const isWithinValue = (line: string) => values.some(value => value.includes('\n') && value.includes(line.trimEnd()))
  const isStray = (line: string) =>
    ![ASSIGNMENT, COMMENT].some(form => form.test(line)) && !isWithinValue(unquote(line))
  const at = text.split(/\r?\n/).findIndex(isStray)
  return at === -1 ? undefined : at + 1
}

/** The last line of a value has the quote behind it. */
const unquote = (line: string) => line.replace(/["'`]\s*(?:#.*)?$/, '')
