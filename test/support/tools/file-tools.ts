// What the tests of the file tools share: a server that serves them, and their helpers by themselves.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type CallOptions, call, callTool, type Reply } from '../app.ts'
import { filesFolder, openBelow, serve, toolModule } from './shipped.ts'

type OpenFile = typeof import('../../../tools/_files/open-file.ts')
type Write = typeof import('../../../tools/_files/write.ts')
type Remove = typeof import('../../../tools/_files/remove.ts')
type List = typeof import('../../../tools/_files/list.ts')
type Path = typeof import('../../../tools/_files/path.ts')
type Faults = typeof import('../../../tools/_files/faults.ts')

export async function fileModules(): Promise<OpenFile & Write & Remove & List & Path & Faults> {
  return {
    ...(await toolModule<OpenFile>('_files/open-file.ts')),
    ...(await toolModule<Write>('_files/write.ts')),
    ...(await toolModule<Remove>('_files/remove.ts')),
    ...(await toolModule<List>('_files/list.ts')),
    ...(await toolModule<Path>('_files/path.ts')),
    ...(await toolModule<Faults>('_files/faults.ts')),
  }
}

export const ABLE: CallOptions = { capabilities: { elicitation: { form: {} } } }

/** Calls delete_file, and answers its question as the user would. */
export async function callDelete(app: FastifyInstance, path: string, answer: object): Promise<Reply> {
  const params = { name: 'delete_file', arguments: { path } }
  const asked = await call(app, 'tools/call', params, ABLE)
  return await answerTo(app, asked, { path, answer })
}

/** The second round of a call of delete_file: the first one's answer is `asked`. */
export async function answerTo(
  app: FastifyInstance,
  { result }: Reply,
  { path, answer }: { path: string; answer: object },
): Promise<Reply> {
  const { inputRequests, requestState } = result
  const inputResponses = Object.fromEntries(Object.keys(inputRequests ?? {}).map(key => [key, answer]))
  const params = { name: 'delete_file', arguments: { path }, requestState, inputResponses }
  return await call(app, 'tools/call', params, ABLE)
}

export const YES = { action: 'accept', content: { confirm: true } }

/** One call of each tool that takes a path: what it answers, which must be an error. */
export const BY_PATH: Record<string, (app: FastifyInstance, path: string) => Promise<Reply['result']>> = {
  list_files: (app, path) => callTool(app, 'list_files', { path }),
  read_file: (app, path) => callTool(app, 'read_file', { path }),
  write_file: (app, path) => callTool(app, 'write_file', { path, content: 'written', overwrite: true }),
  delete_file: (app, path) => callTool(app, 'delete_file', { path }, ABLE),
  analyze_csv: (app, filepath) => callTool(app, 'analyze_csv', { filepath }),
}

/** A server with those. */
export const serveFiles = async (t: Test) => serve(t, ...Object.keys(BY_PATH))

/** The text of the error that reading a resource answers. */
export const faultOf = async (app: FastifyInstance, uri: string) =>
  (await call(app, 'resources/read', { uri })).error?.message as string

const worldOf = (base: string) =>
  ['secret.csv', 'root-evil/secret.csv'].map(path => readFileSync(join(base, path), 'utf8'))

/** Nothing around the files folder of `filesFolder` has changed, and nothing is open. */
export async function assertUntouched(t: Test, base: string): Promise<void> {
  t.strictSame(worldOf(base), ['secret\n1\n', 'secret\n1\n'])
  t.strictSame(readdirSync(base).sort(), ['root', 'root-evil', 'secret.csv'])
  t.strictSame(readdirSync(join(base, 'root-evil')), ['secret.csv'])
  t.strictSame(openBelow(base), [])
}

/** Calls read_file on a file of this content. */
export async function readContent(t: Test, content: string | Buffer, args: object = {}) {
  const base = filesFolder(t)
  writeFileSync(join(base, 'root/file'), content)
  const result = await callTool(await serve(t, 'read_file'), 'read_file', { path: 'file', ...args })
  t.strictSame(openBelow(base), [])
  return result
}
