// npm run bench:pair: what a call costs beside an earlier build, both in one process. Two processes of
// one build differ by 10 % and more, since V8 compiles them differently and neighbours of the machine
// come and go; what one process does in turns of 150 ms is compared to 3 %.
//   npm run bench:pair -- --base=FOLDER --starts=4 --load=both --handlers=async
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median } from './figures.ts'
import { KeepAliveLoad } from './keep-alive-load.ts'
import { pin, requestCpuUs, type Started, start, stop } from './processes.ts'
import { findEntry, orExit, parseCount, parseHandlers, parseLoad } from './turn-options.ts'
import { createCalls, type Target, type ToolName } from './turn-targets.ts'

const CONNECTIONS = 64
const TURN_MS = 150
const WARM_UP_TURNS = 20
const SETTLE_MS = 4000
const ERAS: readonly Target[] = [
  { name: '2026-07-28', server: 'toolrack' },
  { name: '2025-11-25', server: 'toolrack', isLegacy: true },
]

/** Processor time of a call, µs: of this build, and of the earlier one. */
type Costs = readonly [now: number, before: number]

const options = orExit(parseOptions)

function parseOptions() {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      starts: { type: 'string', default: '4' },
      turns: { type: 'string', default: '20' },
      load: { type: 'string', default: 'echo' },
      handlers: { type: 'string', default: 'sync' },
    },
  })
  if (values.base === undefined) throw new Error('--base=FOLDER is missing: the checkout of an earlier build')
  if (values.load === 'large') throw new Error('--load=large: expected echo, add or both, whose answers are short')
  return {
    entries: ['toolrack', findEntry(values.base)],
    starts: parseCount('starts', values.starts),
    turns: parseCount('turns', values.turns),
    tools: parseLoad(values.load),
    handlers: parseHandlers(values.handlers),
  }
}

/** The lower quartile of the turns of each build: what disturbs a turn makes it dearer, never cheaper. */
async function compare(started: Started, loads: readonly KeepAliveLoad[], turns: number): Promise<readonly number[]> {
  const costs: number[][] = loads.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    // Each goes first in every second turn.
    for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const before = await requestCpuUs(started)
      const answered = await loads[at]!.takeTurn(TURN_MS)
      costs[at]!.push(((await requestCpuUs(started)) - before) / answered)
    }
  }
  return costs.map(each => each.toSorted((a, b) => a - b)[Math.floor(each.length / 4)]!)
}

/** @param isBaseFirst which build is loaded first: it shapes what both use of Node */
async function measureStart(tool: ToolName, isBaseFirst: boolean): Promise<Costs[]> {
  const entries = isBaseFirst ? options.entries.toReversed() : options.entries
  const started = await start('./servers.ts', ['toolrack', ...entries], { HANDLERS: options.handlers })
  try {
    pin(started.child.pid!, 0)
    // To load the second build delays the loop of the first, which refuses requests for a moment.
    await sleep(SETTLE_MS)
    const measured: Costs[] = []
    for (const era of ERAS) {
      const loads: KeepAliveLoad[] = []
      for (const url of started.url.split(' ')) {
        const calls = await createCalls(era, url, tool, CONNECTIONS)
        // In revisions without sessions, all connections send one call.
        const each = Array.from({ length: CONNECTIONS }, (_, index) => calls[index % calls.length]!)
        loads.push(await KeepAliveLoad.open(url, each))
      }
      await compare(started, loads, WARM_UP_TURNS)
      const costs = await compare(started, loads, options.turns)
      const [now, before] = isBaseFirst ? costs.toReversed() : costs
      measured.push([now!, before!])
      for (const load of loads) load.close()
    }
    return measured
  } finally {
    await stop(started)
  }
}

// The load never sleeps: to wake it would be work of whichever server is slower than it.
const stayAwake = () => setImmediate(stayAwake)
stayAwake()
pin(process.pid, 1)
console.log(
  `${options.handlers} handlers, ${options.starts} starts in each order, ${options.turns} turns of ${TURN_MS} ms`,
)
console.log('\n| tool | revision | CPU µs a call | before | now ÷ before | each start |\n|---|---|---:|---:|---:|---|')
for (const tool of options.tools) {
  const starts: Costs[][] = []
  for (let at = 0; at < 2 * options.starts; at++) starts.push(await measureStart(tool, at % 2 === 1))
  for (const [at, era] of ERAS.entries()) {
    const costs = starts.map(start => start[at]!)
    const ratios = costs.map(([now, before]) => now / before)
    const [now, before] = [median(costs.map(each => each[0])), median(costs.map(each => each[1]))]
    const each = ratios.map(ratio => ratio.toFixed(2)).join(' ')
    const cells = [tool, era.name, now.toFixed(1), before.toFixed(1), median(ratios).toFixed(3), each]
    console.log(`| ${cells.join(' | ')} |`)
  }
}
process.exit()
