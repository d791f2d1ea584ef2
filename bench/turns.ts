// npm run bench:turns: what a call costs beside bare Fastify that is sent the same requests. All
// servers run at once; the load goes from one to the next in short turns, and each turn is compared
// with bare Fastify's turn of the same round, so that a busy machine disturbs both.
//   npm run bench:turns -- --rounds=20 --load=echo --handlers=async --base=../before --redis=redis://127.0.0.1:6379 --sqlite=FOLDER
import autocannon from 'autocannon'
import { median } from './figures.ts'
import type { Call } from './modern-call.ts'
import { pin, requestCpuUs, type Started, stop } from './processes.ts'
import { readOptions } from './turn-options.ts'
import { createCalls, EXPECTED, listTargets, post, startTarget, type Target, type ToolName } from './turn-targets.ts'

const options = readOptions()
const { rounds, seconds, connections, tools } = options

interface Turn {
  readonly perSecond: number
  /** Processor time of a call, of all threads of the server. */
  readonly cpuUs: number
}

interface Run {
  readonly target: Target
  readonly started: Started
  readonly calls: readonly Call[]
  readonly turns: Turn[]
}

async function prepare(target: Target, started: Started, tool: ToolName): Promise<Run> {
  const calls = await createCalls(target, started.url, tool, connections)
  const { text } = await post(started.url, calls[0]!)
  if (!text.includes(EXPECTED[tool])) throw new Error(`${target.name} answered ${text.slice(0, 200)}`)
  return { target, started, calls, turns: [] }
}

async function takeTurn({ target, started, calls }: Run, duration: number): Promise<Turn> {
  const before = await requestCpuUs(started)
  let next = 0
  const { requests, non2xx, errors } = await autocannon({
    url: started.url + (calls[0]!.path ?? '/mcp'),
    method: 'POST',
    connections,
    duration,
    setupClient(client) {
      const { headers, body } = calls[next++ % calls.length]!
      client.setHeadersAndBody(headers, body)
    },
  })
  if (non2xx + errors > 0) throw new Error(`${target.name}: ${non2xx} calls were refused, ${errors} failed`)
  const spentUs = (await requestCpuUs(started)) - before
  // At least 1: if the machine stood still, the turn is an outlier and not NaN.
  return { perSecond: requests.total / duration, cpuUs: spentUs / Math.max(requests.total, 1) }
}

/** Of one era, with a token or without. */
const isAlike = (a: Target, b: Target) => a.isLegacy === b.isLegacy && a.hasToken === b.hasToken

function printTable(tool: ToolName, runs: readonly Run[]): void {
  const floor = runs[0]!.turns
  const isBase = ({ target }: Run) => target.entry !== undefined
  console.log(`\n### ${tool}, ${rounds} rounds of ${seconds} s, ${connections} connections\n`)
  console.log('| server | calls/s | CPU µs a call | bare Fastify ÷ it | quartiles | it ÷ base |')
  console.log('|---|---:|---:|---:|---:|---:|')
  for (const { target, turns } of runs) {
    const shares = turns.map((turn, at) => floor[at]!.cpuUs / turn.cpuUs).toSorted((a, b) => a - b)
    const quartile = (part: number) => shares[Math.floor((shares.length - 1) * part)]!.toFixed(2)
    const before = runs.find(run => isBase(run) && isAlike(run.target, target))?.turns
    const toBase = before && median(turns.map((turn, at) => turn.cpuUs / before[at]!.cpuUs)).toFixed(2)
    const figures = [median(turns.map(turn => turn.perSecond)).toFixed(0), median(turns.map(t => t.cpuUs)).toFixed(1)]
    const cells = [target.name, ...figures, median(shares).toFixed(2), `${quartile(0.25)}–${quartile(0.75)}`]
    console.log(`| ${[...cells, (target.server === 'toolrack' && toBase) || ''].join(' | ')} |`)
  }
}

pin(process.pid, 1)
const targets = listTargets(options)
const running: Started[] = []
try {
  for (const target of targets) running.push(await startTarget(target, options.handlers))
  for (const { child } of running) pin(child.pid!, 0)
  for (const tool of tools) {
    const runs: Run[] = []
    for (const [at, target] of targets.entries()) runs.push(await prepare(target, running[at]!, tool))
    for (const run of runs) await takeTurn(run, 3)
    for (let round = 0; round < rounds; round++) for (const run of runs) run.turns.push(await takeTurn(run, seconds))
    printTable(tool, runs)
  }
} finally {
  await Promise.all(running.map(stop))
}
