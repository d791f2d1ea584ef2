// npm run bench:tools: processor time and memory of each shipped tool's usual call, beside calculate_sum, which does
// next to nothing. A tool that asks is measured up to its question. Services of tools are served by this process, too.
//   npm run bench:tools -- --seconds=2 --only=get_current_time
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Test } from 'tap'
import { createServer } from 'toolrack'
import { everyTool } from '../test/support/tools/every-tool.ts'
import { modernCall } from './modern-call.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, only: { type: 'string', default: '' } },
})

/** What all other tools are compared with. */
const FLOOR = 'calculate_sum'
/** Of the measured time, before it. */
const WARM_UP_SHARE = 1
/** A client that can be asked. */
const CAPABILITIES = { elicitation: { form: {} } }

const ends: (() => unknown)[] = []

/** The part of a test that the services need. */
const whileMeasured = {
  teardown: (end: () => unknown) => void ends.push(end),
  testdir(files: object): string {
    const folder = mkdtempSync(join(tmpdir(), 'toolrack-bench-tools-'))
    ends.push(() => rmSync(folder, { recursive: true, force: true }))
    writeAll(folder, files)
    return folder
  },
} as unknown as Test

function writeAll(path: string, content: object | string): void {
  if (typeof content === 'string') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  } else for (const [name, each] of Object.entries(content)) writeAll(join(path, name), each)
}

const residentMiB = () => process.memoryUsage.rss() / 1024 / 1024

/** Of this process and of what it has started, µs; the process that sends the calls is left out. */
function cpuUs(load: number): number {
  const { user, system } = process.cpuUsage()
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return children
    .filter(pid => Number(pid) !== load)
    .map(readTicks)
    .reduce((sum, ticks) => sum + ticks * 10_000, user + system)
}

function readTicks(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** What a call needs to succeed again and again. */
const MORE: Readonly<Record<string, object>> = { write_file: { overwrite: true } }

const load = fork(new URL('./tools-load.ts', import.meta.url))
ends.push(() => load.kill())

/** @returns how many calls there were, one at least */
async function callFor(seconds: number, url: string, name: string, args: object): Promise<number> {
  const call = modernCall('tools/call', { name, arguments: args }, CAPABILITIES)
  load.send({ url: `${url}/mcp`, call, seconds })
  const [answer] = (await once(load, 'message')) as [{ count: number } | { fault: string }]
  if ('fault' in answer) throw new Error(`${name}: ${answer.fault}`)
  return answer.count
}

interface Figures {
  readonly name: string
  readonly us: number
  readonly grownMiB: number
}

async function measure(url: string, name: string, args: object, seconds: number): Promise<Figures> {
  const residentBefore = residentMiB()
  await callFor(seconds * WARM_UP_SHARE, url, name, args)
  const before = cpuUs(load.pid!)
  const count = await callFor(seconds, url, name, args)
  return { name, us: (cpuUs(load.pid!) - before) / count, grownMiB: residentMiB() - residentBefore }
}

try {
  const drives = await everyTool(whileMeasured)
  const app = await createServer({
    toolsDir: 'tools',
    watchTools: false,
    logLevel: 'silent',
    trustProxy: ['127.0.0.1'],
  })
  ends.push(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  // The rest follows what it has written.
  const names = [FLOOR, ...Object.keys(drives).filter(name => name !== FLOOR && name.includes(values.only))]
  if (!names.includes('write_file')) await callFor(0, url, 'write_file', drives['write_file']!.args)

  console.log(
    '| tool | processor time, µs a call | ÷ calculate_sum | resident memory grew by, MiB |\n|---|---:|---:|---:|',
  )
  let floorUs = Number.NaN
  for (const name of names) {
    const { us, grownMiB } = await measure(url, name, { ...drives[name]!.args, ...MORE[name] }, Number(values.seconds))
    if (name === FLOOR) floorUs = us
    const asks = drives[name]!.asks === undefined ? '' : ', up to its question'
    console.log(`| ${name}${asks} | ${us.toFixed(0)} | ${(us / floorUs).toFixed(1)} | ${grownMiB.toFixed(0)} |`)
  }
} finally {
  for (const end of ends.reverse()) await end()
}
