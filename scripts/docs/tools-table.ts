// Generates the table of the shipped tools in docs/reference/shelf.md from their definitions.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolveToolrack } from '../../packages/folder/src/modules.ts'
import { readFolder } from '../../packages/folder/src/scan.ts'
import { createToolRoots } from '../../packages/folder/src/tool-roots.ts'
import { findDefinitionKind, type Requires } from '../../src/registry/definition.ts'
import type { ToolAnnotations } from '../../src/registry/tool-annotations.ts'
import type { ToolDefinition } from '../../src/registry/tool-definition.ts'
import { readDuration } from '../../src/text/duration.ts'
import { code, markdownTable } from './table.ts'

export const PAGE = 'docs/reference/shelf.md'
const TABLE = /(<!-- The table is written by `npm run docs`\. -->\n\n).*?(?=\n## |$)/s

/** Replaces the table in the page. @throws Error if the page has no place for it */
export function withTable(page: string, table: string): string {
  if (!TABLE.test(page)) throw new Error(`${PAGE} has no place for the table`)
  return page.replace(TABLE, (_, mark: string) => `${mark}${table}`)
}

/** Makes one row per tool of the folder, including tools that are not served here. */
export async function tableOfTools(folder: string): Promise<string> {
  const tools = (await definitionsIn(resolve(folder))).filter(definition => findDefinitionKind(definition) === 'tool')
  const rows = tools.sort((a, b) => (a.name < b.name ? -1 : 1)).map(rowOf)
  return `${markdownTable(['tool', 'arguments', 'needs', 'scope', 'it'], rows)}\n`
}

async function definitionsIn(root: string): Promise<ToolDefinition[]> {
  resolveToolrack(createToolRoots([root]))
  const files = [...readFolder(root).tools.keys()]
  const modules = await Promise.all(files.map(file => import(pathToFileURL(file).href)))
  return modules.flatMap(({ default: exported }: { default: ToolDefinition | ToolDefinition[] }) => exported)
}

function rowOf({ name, inputSchema, requires = [], scopes = [], annotations, timeout, task }: ToolDefinition) {
  return [
    code(name),
    Object.keys(inputSchema?.properties ?? {})
      .map(argument => code(argument) + (inputSchema.required?.includes(argument) ? '' : '?'))
      .join(', ') || 'none',
    requires.map(formatRequired).join(', ') || '–',
    scopes.map(code).join(' ') || '–',
    effectOf(annotations) + boundOf(timeout, task),
  ]
}

/** Nothing if it is that of the settings. */
const boundOf = (timeout: ToolDefinition['timeout'], task: ToolDefinition['task']) =>
  timeout === undefined ? '' : `; ${readDuration(timeout)! / 1000} s${task === 'optional' ? ', or as a task' : ''}`

function effectOf({ readOnlyHint, destructiveHint = true, openWorldHint = true }: ToolAnnotations = {}): string {
  const effect = readOnlyHint ? 'reads' : destructiveHint ? 'may destroy' : 'adds'
  return openWorldHint ? `${effect}, outside` : effect
}

const formatRequired = (each: Requires[number]): string =>
  typeof each === 'string' || Array.isArray(each) ? [each].flat().map(code).join(' or ') : code(each.what)
