// Collects the arguments of a tool or a prompt: from the words, then by questions on a terminal.
// Reports the values that the schema refuses.
import type { Tool } from '@modelcontextprotocol/client'
import { type Issue, isUnknownProperty } from '@toolrack/json-schema/issues'
import { getProperties, listProperties } from '@toolrack/json-schema/reader'
import { formatSignature } from '@toolrack/json-schema/signature'
import type { JsonObject } from 'toolrack'
import { toVisibleLine } from 'toolrack/text'
import { UnansweredError, UsageError } from '../errors.ts'
import { parseArguments } from './arguments.ts'
import { compileIfPossible } from './connect.ts'
import { findMeant } from './nearest.ts'
import { askFields } from './questions.ts'
import type { Session } from './session.ts'

/** The tool or prompt that gets the arguments. */
type Taker = Pick<Tool, 'name' | 'outputSchema'> & { readonly inputSchema: JsonObject }

const MAX_ISSUES = 5

/** @throws UsageError with the signature, before anything is sent */
export async function completeArguments(
  taker: Taker,
  words: readonly string[],
  base: JsonObject,
  session: Session,
): Promise<JsonObject> {
  const { inputSchema } = taker
  try {
    const given = parseArguments(
      words.filter(word => word !== '-'),
      inputSchema,
      base,
    )
    const args = mayAsk(words, session) ? await askMissing(taker, given, session) : given
    const faults = findFaults(taker, args)
    if (faults.length > 0) throw new UsageError(faults.join('; '))
    for (const slip of findSlips(taker, args)) session.io.note(`Warning: ${slip}`)
    return args
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message}; expected ${toVisibleLine(formatSignature(taker))}`)
  }
}

/** If stdin was a pipe, it was read to its end, so nobody can type there. */
const mayAsk = (words: readonly string[], { io, answers }: Session) =>
  io.isInteractive && !answers.isYes && !words.includes('-')

/** Asks only if the given arguments are valid so far. */
async function askMissing(taker: Taker, given: JsonObject, { stopper }: Session): Promise<JsonObject> {
  const { inputSchema } = taker
  const missing = listProperties(inputSchema).filter(
    ({ name, isRequired }) => isRequired && !Object.hasOwn(given, name),
  )
  const isMissingOnly = listIssues(inputSchema, given).every(({ expected }) => expected === 'is required')
  if (missing.length === 0 || !isMissingOnly || findSlips(taker, given).length > 0) return given
  try {
    return await askFields(missing, given, inputSchema, stopper.signal)
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    const requestedSchema = {
      type: 'object',
      properties: Object.fromEntries(missing.map(({ name, schema }) => [name, schema])),
    }
    throw new UnansweredError(error.message, [{ message: `Arguments of ${taker.name}`, requestedSchema }])
  }
}

const listIssues = (schema: JsonObject, args: JsonObject) => compileIfPossible(schema)?.issues(args, MAX_ISSUES) ?? []

function findFaults(taker: Taker, args: JsonObject): readonly string[] {
  const { inputSchema } = taker
  const issues = listIssues(inputSchema, args)
  const names = Object.keys(getProperties(inputSchema))
  const faults = issues.map(issue => `${issue.path} ${issue.expected}${suggest(issue, names)}`)
  return issues.some(({ keyword }) => keyword === 'required') ? [...faults, ...findSlips(taker, args)] : faults
}

/** Names that look misspelt, for a schema that accepts any name. */
function findSlips({ inputSchema }: Taker, args: JsonObject): readonly string[] {
  if (inputSchema['additionalProperties'] !== undefined) return []
  const names = listProperties(inputSchema).map(({ name }) => name)
  const free = names.filter(name => !Object.hasOwn(args, name))
  return Object.keys(args)
    .filter(name => !names.includes(name))
    .map(name => ({ name, meant: findMeant(name, free) }))
    .filter(({ meant }) => meant !== undefined)
    .map(({ name, meant }) => toVisibleLine(`${name} is not an argument of the tool; did you mean ${meant}?`))
}

function suggest(issue: Issue, names: readonly string[]): string {
  const meant = isUnknownProperty(issue) ? findMeant(issue.path, names) : undefined
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}
