// The two servers that are compared, each in a process of its own:
// `node bench/servers.ts floor|toolrack`. The floor is bare Fastify, which answers the same bytes
// and checks nothing. `node bench/servers.ts toolrack ENTRY …` runs other builds, all in one process.
import Fastify from 'fastify'

// However the process that started this one ends, this one does not stay behind.
process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.(process.cpuUsage()))

const TOOLS = Number(process.env['TOOLS'] ?? 2)
const fillers = Array.from(
  { length: Math.max(0, TOOLS - 2) },
  (_, index) => `tool_${String(index + 3).padStart(4, '0')}`,
)
const echoSchema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }

interface Call {
  id: number
  method: string
  params: { name: string; arguments: { message: string; a: number; b: number } }
}

/** 0.45 MB as JSON. */
const ROWS = Array.from({ length: 6400 }, (_, id) => ({
  id,
  name: `row ${id}`,
  note: 'a line of a table that is long',
}))

function floorResult({ method, params }: Call, tools: object[]): object {
  if (method === 'tools/list') return { tools }
  if (params.name === 'large') return { content: [{ type: 'text', text: JSON.stringify({ rows: ROWS }) }] }
  if (params.name === 'echo') return { content: [{ type: 'text', text: params.arguments.message }] }
  const structuredContent = { sum: params.arguments.a + params.arguments.b }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

async function floor(): Promise<string> {
  const app = Fastify()
  const tools = ['echo', 'add', ...fillers].map(name => ({
    name,
    description: `The tool ${name}`,
    inputSchema: echoSchema,
  }))
  app.post('/mcp', request => {
    const call = request.body as Call
    return { jsonrpc: '2.0', id: call.id, result: floorResult(call, tools) }
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** @param entry the module; that of an earlier build for `--base=FOLDER` */
async function toolrack(entry: string): Promise<string> {
  const { createServer, defineTool, Type } = (await import(entry)) as typeof import('toolrack')
  // `--handlers=async`
  const handle = <Args, Result>(handler: (args: Args) => Result) =>
    process.env['HANDLERS'] === 'async' ? async (args: Args) => handler(args) : handler
  const Message = Type.Object({ message: Type.String() })
  const echo = (name: string) =>
    defineTool({
      name,
      description: `The tool ${name}`,
      inputSchema: Message,
      handler: handle(({ message }: { message: string }) => message),
    })
  const add = defineTool({
    name: 'add',
    description: 'The tool add',
    inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
    outputSchema: Type.Object({ sum: Type.Number() }),
    handler: handle(({ a, b }: { a: number; b: number }) => ({ sum: a + b })),
  })
  const large = defineTool({
    name: 'large',
    description: 'The tool large',
    handler: handle(() => ({ rows: ROWS })),
  })
  const hooks = { onCall: (_call: unknown, next: () => Promise<unknown>) => next(), visible: () => true }
  const options = {
    ...(process.env['HOOKS'] === 'true' && hooks),
    tools: [echo('echo'), add, large, ...fillers.map(echo)],
    logLevel: 'silent',
    rateLimit: { max: 1e9 },
    pageSize: 1000,
    metrics: process.env['METRICS'] !== 'false',
    ...JSON.parse(process.env['OPTIONS'] ?? '{}'),
  }
  const app = await createServer(options).catch(() => createServer(flatten(options)))
  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** For builds from before options had groups: `rateLimit: { max }` → `rateLimitMax`. */
function flatten(options: object): object {
  const rows = Object.entries(options).map(([group, value]) => {
    if (typeof value !== 'object' || Array.isArray(value)) return { [group]: value }
    const names = Object.entries(value).map(([name, each]) => [
      `${group}${name[0]!.toUpperCase()}${name.slice(1)}`,
      each,
    ])
    return Object.fromEntries(names)
  })
  return Object.assign({}, ...rows)
}

/** One after the other, since the first to load shapes what all use of Node. @returns their URLs */
async function toolracks(entries: readonly string[]): Promise<string> {
  const urls: string[] = []
  for (const entry of entries) urls.push(await toolrack(entry))
  return urls.join(' ')
}

const [, , server, ...entries] = process.argv
const builds = entries.length === 0 ? ['toolrack'] : entries
process.send?.(await (server === 'toolrack' ? toolracks(builds) : floor()))
