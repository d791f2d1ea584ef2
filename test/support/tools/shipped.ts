// What the tests of the shipped tools share: the server that serves the folder, settings, and an upstream to call.
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import type http from 'node:http'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import {
  createToolModule,
  importModule,
  nextGeneration,
  resolveToolrack,
} from '../../../packages/folder/src/modules.ts'
import { createToolRoots } from '../../../packages/folder/src/tool-roots.ts'
import type { ServerOptions } from '../../../src/index.ts'
import { findDefinitionKind } from '../../../src/registry/definition.ts'
import { type App, build } from '../app.ts'

export { listen as upstream } from '../servers/http-server.ts'

const ROOT = resolve('tools')

type Definition = NonNullable<ServerOptions['tools']>[number]

/** The tools folder as it is shipped, read once. Each server reads all of it anew. */
export const SHIPPED: ServerOptions = { toolsDir: 'tools', watchTools: false }

/**
 * These tools alone, and the resources beside them, read anew with the settings of now: a tenth of what the folder costs.
 * In this thread, since only a folder can be isolated as it is.
 */
export async function only(...names: string[]): Promise<ServerOptions> {
  const roots = createToolRoots([ROOT])
  resolveToolrack(roots)
  const generation = nextGeneration()
  const definitions: Definition[] = []
  for (const name of names) {
    const module = createToolModule(ROOT, fileOf(name), { own: generation, helpers: generation, roots })
    definitions.push(...[(await importModule(module)).default as Definition | Definition[]].flat())
  }
  return {
    tools: definitions.map(each => (findDefinitionKind(each) === 'tool' ? { ...each, isolate: undefined } : each)),
  }
}

/** A server with these tools alone. */
export const serve = async (t: Test, ...names: string[]): Promise<App> => build(t, await only(...names))

function fileOf(tool: string): string {
  const base = join(ROOT, tool.replaceAll('_', '-'))
  return existsSync(`${base}.ts`) ? `${base}.ts` : join(base, 'index.ts')
}

/** A module of the tools folder, such as `_web/client.ts`, by itself. */
export async function toolModule<T>(path: string): Promise<T> {
  resolveToolrack(createToolRoots([ROOT]))
  return await import(pathToFileURL(join(ROOT, path)).href)
}

/** Sets a variable of the environment, `undefined` unsets it, until the test ends. */
export function setting(t: Test, name: string, value: string | undefined): void {
  const before = process.env[name]
  put(name, value)
  t.teardown(() => put(name, before))
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

/** A file in a files folder of its own. @returns its name there */
export function dataFile(t: Test, content: string | Buffer): string {
  const folder = t.testdir({})
  writeFileSync(join(folder, 'data.csv'), content)
  setting(t, 'FILES_DIR', folder)
  return 'data.csv'
}

/** A files folder `root`, and secrets around it. @returns the folder that holds them */
export function filesFolder(t: Test): string {
  const base = t.testdir({
    root: { 'data.csv': 'a\n1\n', sales: { '2026.csv': 'a\n2\n' } },
    'root-evil': { 'secret.csv': 'secret\n1\n' },
    'secret.csv': 'secret\n1\n',
  })
  setting(t, 'FILES_DIR', join(base, 'root'))
  return base
}

/** The text of a failed call. @throws Error where it did not fail */
export function errorOf(result: { isError?: boolean; content: { text: string }[] }): string {
  if (result.isError !== true) throw new Error(`not an error: ${JSON.stringify(result)}`)
  return result.content[0]!.text
}

/** What a tool said itself: the JSON of its structure comes last. @throws Error where it does not */
export function ownContent<Block>({ content, structuredContent }: { content: Block[]; structuredContent?: unknown }) {
  const { text } = content.at(-1) as { text?: string }
  if (text !== JSON.stringify(structuredContent)) throw new Error(`not the JSON of the structure: ${text}`)
  return content.slice(0, -1)
}

export function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')
}

/** What this process has open below a folder. */
export function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map(target)
    .filter(path => path.startsWith(folder))
}

// The descriptor that listed the folder is closed by now.
function target(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

export type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

export const json =
  (body: string, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body)
  }
