// Handlers behind every door: as tools, isolated tools, prompts and resources, over MCP, plain HTTP and in
// toolrack/testing.
import type { Test } from 'tap'
import { testTools } from '../../packages/testing/src/index.ts'
import type { ServerOptions } from '../../src/index.ts'
import { build, call, callTool } from './app.ts'
import { plain } from './plain.ts'
import { tempFolder } from './tools-folder.ts'

interface Everywhere extends ServerOptions {
  /** Source before the definitions. */
  readonly topLevel?: string
  /** Members of the tools. */
  readonly members?: string
}

/**
 * @param handlers by name, as source: `(args, ctx) => …`
 * @returns the server; and what each door says of a handler: the text of its result, or of its failure
 */
export async function everyDoor(
  t: Test,
  handlers: Readonly<Record<string, string>>,
  { topLevel = '', members = '', ...options }: Everywhere = {},
) {
  const { path } = tempFolder(t, {
    // The process of an isolated tool starts sooner without the package.
    'tools.mjs': `${topLevel}
export const handlers = { warm: () => 'warm', ${Object.entries(handlers).map(([name, source]) => `${name}: ${source}`)} }
const description = 'Is behind every door.'
export default Object.entries(handlers).flatMap(([name, handler]) => [
  { name, description, ${members} handler },
  { name: name + '-isolated', description, ${members} isolate: true, handler },
])`,
    'others.mjs': `import { definePrompt, defineResource } from 'toolrack'
import { handlers } from './tools.mjs'
export default Object.entries(handlers).flatMap(([name, handler]) => [
  definePrompt({ name, handler }),
  defineResource({ name, uri: 'test://' + name, handler: (_uri, _variables, ctx) => handler({}, ctx) }),
])`,
  })
  const app = await build(t, { toolsDir: path, watchTools: false, host: '127.0.0.1', ...options })
  const tools = await testTools(path)
  t.teardown(() => tools.close())
  const ask = async (method: string, params: object) => {
    const { result, error } = await call(app, method, { ...params })
    const [message] = result?.messages ?? result?.contents ?? []
    return (error?.message ?? message?.content?.text ?? message?.text) as string
  }
  const ofTool = async (name: string) => (await callTool(app, name)).content[0]?.text as string
  const ofPlain = async (name: string) => {
    const { body } = await plain(app, `/tools/${name}`, { json: {} })
    return (body.detail ?? body.content?.[0]?.text ?? JSON.stringify(body)) as string
  }
  /** What each door says, by its name. */
  const askAll = async (name: string): Promise<Readonly<Record<string, string>>> => ({
    tool: await ofTool(name),
    isolated: await ofTool(`${name}-isolated`),
    prompt: await ask('prompts/get', { name }),
    resource: await ask('resources/read', { uri: `test://${name}` }),
    'plain HTTP': await ofPlain(name),
    testing: (await tools.call(name)).text,
  })
  // On a busy machine a process may not start in time.
  while (/did not start/.test(await ofTool('warm-isolated')));
  return { app, askAll }
}
