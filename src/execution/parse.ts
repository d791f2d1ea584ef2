// Lets the schema library check the arguments and the result, and uses the values that it makes: with
// defaults, transforms and refinements.

import type { Issue } from '@toolrack/json-schema/validator'
import { discardFiles } from '../registry/file-content.ts'
import type { Parse, Parsed } from '../registry/standard-schema.ts'
import { isWholeResult } from './normalise.ts'
import { createArgumentFailure, MAX_ISSUES } from './tool-failure.ts'
import { withoutValues } from './without-values.ts'

/** @throws ToolFailure `invalid_arguments` */
export const readArguments = (tool: string, parsed: Parsed): unknown =>
  readParsed(parsed, issues => createArgumentFailure(tool, issues))

/**
 * Creates the error of a refused result.
 *
 * @param detail also has the library's messages, without the values that they quote
 */
export type RefuseResult = (text: string, detail: string) => Error

/**
 * Parses the structured content of what a handler returned. An error result stays as it is.
 *
 * @param refuse gets texts that begin with `structuredContent`
 */
export async function parseReturned(returned: unknown, parse: Parse, refuse: RefuseResult): Promise<unknown> {
  const value = await returned
  try {
    return await parseResult(value, async structured =>
      readParsed(await parse(structured), issues =>
        refuse(`structuredContent ${formatPaths(issues)}`, `structuredContent ${formatIssues(issues, structured)}`),
      ),
    )
  } catch (error) {
    discardFiles(value)
    throw error
  }
}

async function parseResult(value: unknown, parse: (structured: unknown) => Promise<unknown>): Promise<unknown> {
  if (!isWholeResult(value, true)) return parse(value)
  const { structuredContent, isError } = value
  if (isError === true || structuredContent === undefined) return value
  return { ...value, structuredContent: await parse(structuredContent) }
}

function readParsed(parsed: Parsed, fail: (issues: readonly Issue[]) => Error): unknown {
  if ('issues' in parsed) throw fail(parsed.issues.slice(0, MAX_ISSUES))
  return parsed.value
}

// A library's messages may quote values of the result, which must be neither delivered nor logged.
const formatPaths = (issues: readonly Issue[]) =>
  [...new Set(issues.map(({ path }) => `${path} is not valid`))].join('; ')

function formatIssues(issues: readonly Issue[], structured: unknown): string {
  const messages = issues.map(({ expected }) => expected)
  const shown = withoutValues(messages, structured)
  return shown === undefined ? formatPaths(issues) : issues.map(({ path }, at) => `${path}: ${shown[at]}`).join('; ')
}
