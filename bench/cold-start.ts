// npm run bench:start: how long a new process takes to its first answer, and its memory when idle,
// beside bare Fastify; then the first calls of shipped tools. Toolrack runs from dist/.
//   npm run bench:start -- --rounds=10
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median } from './figures.ts'
import { type Call, modernCall } from './modern-call.ts'
import { cpuUs, type Started, stop } from './processes.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })

const FLOOR = `const app = require('fastify')()
  app.post('/mcp', () => ({}))
  app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })`
const SERVERS = { 'bare Fastify': ['-e', FLOOR], Toolrack: ['dist/src/server.js'] }
const LIST = modernCall('tools/list', {})
/** Calls that need no network and no permission; the sample database is the slowest to start. */
const CALLS: Readonly<Record<string, object>> = {
  calculate_sum: { a: 1, b: 2 },
  get_current_time: {},
  query_database: { query: 'SELECT count(*) FROM users', database: 'users' },
}

/** How long a server rests before its memory is read, ms. */
const IDLE_MS = 2000

interface Process extends Started {
  readonly spawnedMs: number
}

async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

async function spawnServer(args: readonly string[]): Promise<Process> {
  const port = await findPort()
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    LOG_LEVEL: 'silent',
    TOOLS_DIR: 'dist/tools',
  }
  const spawnedMs = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  return { child, url: `http://127.0.0.1:${port}/mcp`, spawnedMs }
}

/** Repeats the request until the server listens. */
async function ask(url: string, { headers, body }: Call): Promise<string> {
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
    if (response?.ok) return response.text()
    if (response !== undefined) throw new Error(`${response.status} ${await response.text()}`)
    await sleep(5)
  }
}

const residentMiB = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

async function withServer<T>(args: readonly string[], measure: (started: Process) => Promise<T>): Promise<T> {
  const started = await spawnServer(args)
  try {
    await ask(started.url, LIST)
    return await measure(started)
  } finally {
    await stop(started)
  }
}

const measureStart = (args: readonly string[]) =>
  withServer(args, async ({ child, spawnedMs }) => {
    const answeredMs = performance.now() - spawnedMs
    const cpuMs = cpuUs(child) / 1000
    await sleep(IDLE_MS)
    return { answeredMs, cpuMs, resident: residentMiB(child) }
  })

const measureFirstCall = (name: string) =>
  withServer(SERVERS.Toolrack, async ({ child, url, spawnedMs }) => {
    const [calledMs, cpuBefore] = [performance.now(), cpuUs(child)]
    const answer = await ask(url, modernCall('tools/call', { name, arguments: CALLS[name] }))
    if (answer.includes('"isError":true')) throw new Error(answer)
    const [tookMs, cpuMs] = [performance.now() - calledMs, (cpuUs(child) - cpuBefore) / 1000]
    return { tookMs, cpuMs, fromStartMs: performance.now() - spawnedMs, resident: residentMiB(child) }
  })

type Start = Awaited<ReturnType<typeof measureStart>>

const figures = new Map<string, Start[]>()
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, args] of Object.entries(SERVERS))
    figures.set(name, [...(figures.get(name) ?? []), await measureStart(args)])

const [floor] = figures.values() as unknown as [Start[]]
console.log(
  '| server | first answer, ms | ratio | CPU ms | resident when idle, MiB | ratio |\n|---|---:|---:|---:|---:|---:|',
)
for (const [name, own] of figures) {
  const middle = (key: keyof Start) => median(own.map(each => each[key]))
  const ratio = (key: keyof Start) => median(own.map((each, at) => each[key] / floor[at]![key])).toFixed(2)
  const cells = [middle('answeredMs').toFixed(0), ratio('answeredMs'), middle('cpuMs').toFixed(0)]
  console.log(`| ${[name, ...cells, middle('resident').toFixed(0), ratio('resident')].join(' | ')} |`)
}

console.log(
  '\n| first call of a process | ms | CPU ms | since the start, ms | resident, MiB |\n|---|---:|---:|---:|---:|',
)
for (const name of Object.keys(CALLS)) {
  const { tookMs, cpuMs, fromStartMs, resident } = await measureFirstCall(name)
  console.log(`| ${[name, ...[tookMs, cpuMs, fromStartMs, resident].map(each => each.toFixed(0))].join(' | ')} |`)
}
