// npm run bench:metrics: what METRICS=true costs a call. Two servers, otherwise equal, take turns
// under load, so that other work of the machine affects both. Read the ratio, not the figures.
//   npm run bench:metrics -- --rounds=5 --turns=6 --seconds=2
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { median } from './figures.ts'
import { modernCall } from './modern-call.ts'
import { cpuUs, pin, type Started, start, stop } from './processes.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    turns: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '2' },
  },
})
const rounds = Number(values.rounds)
const turns = Number(values.turns)
const seconds = Number(values.seconds)

/** Upper bound of the cost of a call with metrics, relative to one without. */
const BOUND = 1.03
const WAYS = ['off', 'on'] as const
type Way = (typeof WAYS)[number]

const call = modernCall('tools/call', { name: 'echo', arguments: { message: 'hello 1000001' } })

async function load({ url }: Started, duration: number): Promise<number> {
  const result = await autocannon({ url: `${url}/mcp`, method: 'POST', connections: 64, duration, ...call })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  return result.requests.total
}

/** CPU µs per call. Each round starts new processes, since the JIT compiles each differently. */
async function measure(): Promise<Record<Way, number>> {
  const servers = {
    off: await start('./servers.ts', ['toolrack'], { METRICS: 'false' }),
    on: await start('./servers.ts', ['toolrack'], { METRICS: 'true' }),
  }
  const spent = { off: 0, on: 0 }
  const calls = { off: 0, on: 0 }
  try {
    await assertDiffer(servers)
    for (const way of WAYS) {
      pin(servers[way].child.pid!, 0)
      await load(servers[way], 3)
    }
    for (let turn = 0; turn < turns; turn++) {
      for (const way of turn % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const before = cpuUs(servers[way].child)
        calls[way] += await load(servers[way], seconds)
        spent[way] += cpuUs(servers[way].child) - before
      }
    }
  } finally {
    await Promise.all(WAYS.map(way => stop(servers[way])))
  }
  return { off: spent.off / calls.off, on: spent.on / calls.on }
}

async function assertDiffer(servers: Record<Way, Started>): Promise<void> {
  const statuses = await Promise.all(WAYS.map(async way => (await fetch(`${servers[way].url}/metrics`)).status))
  if (statuses.join() !== '404,200') throw new Error(`the servers do not differ in their metrics: ${statuses}`)
}

pin(process.pid, 1)
console.log('| round | off, CPU µs a call | on | ratio |\n| --- | ---: | ---: | ---: |')
const ratios: number[] = []
for (let round = 1; round <= rounds; round++) {
  const { off, on } = await measure()
  ratios.push(on / off)
  console.log(`| ${round} | ${off.toFixed(1)} | ${on.toFixed(1)} | ${(on / off).toFixed(3)} |`)
}
console.log(`median ${median(ratios).toFixed(3)}; at most ${BOUND}`)
process.exitCode = median(ratios) <= BOUND ? 0 : 1
