// `npm run docs:tools`: writes the table of the shipped tools in docs/tools.md from their definitions. A test compares them.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { kindOf } from '../src/registry/definition.ts'
import { resolveToolrack } from '../src/registry/module-hook.ts'
import { readFolder } from '../src/registry/read-folder.ts'
import type { AnyToolDefinition, ToolAnnotations } from '../src/registry/tool-definition.ts'

export const PAGE = 'docs/tools.md'
const TABLE = /(<!-- The table is written by `npm run docs:tools`\. -->\n\n).*?(?=\n## |$)/s

/** The page with the table as the definitions have it. @throws Error where it has no place for one */
export function withTable(page: string, table: string): string {
  if (!TABLE.test(page)) throw new Error(`${PAGE} has no place for the table`)
  return page.replace(TABLE, (_, mark: string) => `${mark}${table}`)
}

/** One row for each tool of the folder, served here or not. */
export async function tableOfTools(folder: string): Promise<string> {
  const tools = (await definitionsIn(resolve(folder))).filter(definition => kindOf(definition) === 'tool')
  const rows = tools.sort((a, b) => (a.name < b.name ? -1 : 1)).map(rowOf)
  return [
    '| tool | arguments | needs | scope | it | deadline |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(cells => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n')
}

async function definitionsIn(root: string): Promise<AnyToolDefinition[]> {
  resolveToolrack(root)
  const files = [...readFolder(root).tools.keys()]
  const modules = await Promise.all(files.map(file => import(pathToFileURL(file).href)))
  return modules.flatMap(({ default: exported }: { default: AnyToolDefinition | AnyToolDefinition[] }) => exported)
}

function rowOf({ name, inputSchema, requires = [], scopes = [], annotations, timeout, task }: AnyToolDefinition) {
  return [
    code(name),
    Object.keys(inputSchema?.properties ?? {})
      .map(argument => code(argument) + (inputSchema.required?.includes(argument) ? '' : '?'))
      .join(', ') || 'none',
    requires.map(each => [each].flat().map(code).join(' or ')).join(', ') || '–',
    scopes.map(code).join(' ') || '–',
    effectOf(annotations),
    timeout === undefined ? '`TOOL_TIMEOUT_MS`' : `${timeout / 1000} s${task === 'optional' ? ', or as a task' : ''}`,
  ]
}

const code = (text: string) => `\`${text}\``

function effectOf({ readOnlyHint, destructiveHint = true, openWorldHint = true }: ToolAnnotations = {}): string {
  const effect = readOnlyHint ? 'reads' : destructiveHint ? 'may destroy' : 'adds'
  return openWorldHint ? `${effect}, outside` : effect
}

if (import.meta.main) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), await tableOfTools('tools')))
