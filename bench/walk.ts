// npm run bench:walk: which functions one `tools/call` enters, by file, in the order of their number.
// V8 counts; a second call is counted, so that nothing is loaded or compiled meanwhile.
//   npm run bench:walk -- --base=../before
import { Session } from 'node:inspector/promises'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { modernCall } from './modern-call.ts'

const { base = '.' } = parseArgs({ options: { base: { type: 'string' } } }).values
const root = pathToFileURL(`${resolve(base)}/`)
const { createServer, defineTool, Type } = (await import(
  new URL('src/index.ts', root).href
)) as typeof import('toolrack')

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
})
const app = await createServer({ tools: [add], logLevel: 'silent' })
const call = modernCall('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })
const send = async () => {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: call.headers,
    payload: call.body,
  })
  if (statusCode !== 200) throw new Error(`${statusCode} ${body}`)
}
await send()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await send()
const { result } = await session.post('Profiler.takePreciseCoverage')
await app.close()

const isOurs = ({ url }: { url: string }) =>
  ['src/', 'plugins/', 'routes/'].some(each => url.startsWith(new URL(each, root).href))
const files = result.filter(isOurs).map(({ url, functions }) => {
  const entered = functions.map(({ ranges }) => ranges[0]!.count).filter(count => count > 0)
  return {
    path: fileURLToPath(url).slice(fileURLToPath(root).length),
    functions: entered.length,
    entries: entered.reduce((sum, count) => sum + count, 0),
  }
})
const walked = files.filter(({ functions }) => functions > 0).toSorted((a, b) => b.functions - a.functions)
console.log('| file | functions | entered |\n|---|---:|---:|')
for (const { path, functions, entries } of walked) console.log(`| ${path} | ${functions} | ${entries} |`)
const sum = (key: 'functions' | 'entries') => walked.reduce((total, file) => total + file[key], 0)
console.log(`| ${walked.length} files | ${sum('functions')} | ${sum('entries')} |`)
