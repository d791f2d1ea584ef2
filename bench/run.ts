// npm run bench: Toolrack and bare Fastify, in turns on the same machine. Read the ratio, not the
// figures.
//   npm run bench -- --seconds=5 --rounds=3
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { median } from './figures.ts'
import { type Call, modernCall } from './modern-call.ts'
import { cpuUs, pin, start, stop } from './processes.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' } },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)

type Server = 'floor' | 'toolrack'

interface Load {
  readonly title: string
  readonly tools: number
  readonly method: string
  readonly params: Record<string, unknown>
}

const LOADS: readonly Load[] = [
  {
    title: 'tools/call echo',
    tools: 2,
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: 'hello 1000001' } },
  },
  {
    title: 'tools/call add',
    tools: 2,
    method: 'tools/call',
    params: { name: 'add', arguments: { a: 1_000_001, b: 2 } },
  },
  { title: 'tools/list, 10 tools', tools: 10, method: 'tools/list', params: {} },
  { title: 'tools/list, 100 tools', tools: 100, method: 'tools/list', params: {} },
]

interface Figure {
  readonly perSecond: number
  readonly cpuUs: number
}

function createCall(server: Server, { method, params }: Load): Call {
  if (server === 'toolrack') return modernCall(method, params)
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }
}

async function measure(server: Server, load: Load): Promise<Figure> {
  const started = await start('./servers.ts', [server], { TOOLS: String(load.tools) })
  const { child, url } = started
  try {
    pin(child.pid!, 0)
    const options = { url: `${url}/mcp`, method: 'POST' as const, connections: 64, ...createCall(server, load) }
    await autocannon({ ...options, duration: 2 })
    const before = cpuUs(child)
    const result = await autocannon({ ...options, duration: seconds })
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${server}: ${result.non2xx} refused, ${result.errors} failed`)
    return { perSecond: result.requests.average, cpuUs: (cpuUs(child) - before) / result.requests.total }
  } finally {
    await stop(started)
  }
}

pin(process.pid, 1)
console.log(
  '| load | bare Fastify, req/s | Toolrack, req/s | ratio | CPU µs a request | ratio |\n| --- | ---: | ---: | ---: | ---: | ---: |',
)
for (const load of LOADS) {
  const pairs: { floor: Figure; toolrack: Figure }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ floor: await measure('floor', load), toolrack: await measure('toolrack', load) })
  }
  const of = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick))
  const cells = [
    load.title,
    of(({ floor }) => floor.perSecond).toFixed(0),
    of(({ toolrack }) => toolrack.perSecond).toFixed(0),
    of(({ floor, toolrack }) => toolrack.perSecond / floor.perSecond).toFixed(2),
    `${of(({ floor }) => floor.cpuUs).toFixed(1)} / ${of(({ toolrack }) => toolrack.cpuUs).toFixed(1)}`,
    of(({ floor, toolrack }) => toolrack.cpuUs / floor.cpuUs).toFixed(2),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}
