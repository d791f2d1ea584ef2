// A server that is flooded, in a process of its own, with default settings and no flags of Node: what it holds in
// resident memory, and whether somebody else is still served.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { request } from '../../support/request.ts'
import { serverProgram } from '../../support/servers/program.ts'

const ROOT = new URL('../../../', import.meta.url)
const MIB = 2 ** 20

export interface Flooded {
  readonly port: number
  readonly isAlive: boolean
  /** Now, bytes. */
  resident(): number
  /** The most since it started, bytes. */
  most(): number
  /** A call from another address than the flood's: the status of its answer, 0 where there is none. */
  probe(): Promise<number>
  close(): Promise<void>
}

const TOOLS = `
import { defineResource } from 'toolrack'
const text = Buffer.alloc(3_000_000, 'x').toString()
let waiting
// All that wait at the same moment go on in the same turn.
const together = () => (waiting ??= new Promise(done => setTimeout(done, 3000)))
export default [
  { name: 'probe', handler: () => 'alive' },
  { name: 'large', handler: () => 'x'.repeat(3_900_000) },
  { name: 'together', handler: () => together().then(() => text) },
  { name: 'progress', handler: (_args, ctx) => { ctx.progress(1); return 'x'.repeat(3_900_000) } },
  { name: 'wide', description: 'y'.repeat(900_000), handler: () => 'x' },
  defineResource({ uri: 'big:1', name: 'big', handler: () => text }),
]
`

/** Starts a server as an operator would. */
export async function startFlooded(environment: Record<string, string> = {}): Promise<Flooded> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-flooded-'))
  writeFileSync(join(folder, 'flooded.mjs'), TOOLS)
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', TOOLS_DIR: folder, WATCH_TOOLS: 'false', ...environment }
  const child = spawn(process.execPath, [serverProgram()], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let isAlive = true
  void exited.then(() => (isAlive = false))
  const port = await portOf(child.stdout)
  const memory = (name: string) => (isAlive ? readStatus(child.pid!, name) : 0)
  return {
    port,
    get isAlive() {
      return isAlive
    },
    resident: () => memory('VmRSS'),
    most: () => memory('VmHWM'),
    probe: () => probe(port),
    async close() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function portOf(stdout: NodeJS.ReadableStream): Promise<number> {
  let text = ''
  return new Promise((resolve, reject) => {
    stdout.on('data', chunk => {
      if (text.length < 100_000) text += chunk
      const port = /Server listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    stdout.on('close', () => reject(new Error(`it did not start: ${text}`)))
  })
}

function readStatus(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) * 1024
}

/** A request of the newest revision as bytes. */
export function bytesOf(method: string, params: Record<string, unknown> = {}, more: Record<string, string> = {}) {
  const { message, headers } = request(method, params, { headers: more })
  return asBytes(headers, JSON.stringify(message))
}

export function asBytes(headers: Record<string, string>, body: string, first = 'POST /mcp HTTP/1.1'): string {
  const all = { host: 'localhost', ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${first}\r\n${lines.join('')}\r\n${body}`
}

async function probe(port: number): Promise<number> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: '127.0.1.1' })
  try {
    socket.setTimeout(10_000, () => socket.destroy())
    socket.on('error', () => {})
    socket.write(bytesOf('tools/call', { name: 'probe', arguments: {} }, { accept: 'application/json' }))
    const [chunk] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown]
    return Buffer.isBuffer(chunk) ? Number(chunk.toString('latin1', 9, 12)) : 0
  } catch {
    return 0
  } finally {
    socket.destroy()
  }
}

export interface Flood {
  readonly name: string
  readonly environment?: Record<string, string>
  /** Holds as long as it can; resolves when it has sent what it sends. */
  run(port: number, client: FloodClient): Promise<void>
}

export interface FloodReport {
  readonly name: string
  readonly before: number
  readonly most: number
  readonly after: number
  /** The first answer on each connection, by status; 0: none. */
  readonly statuses: Record<string, number>
  /** Probes by status. */
  readonly probes: Record<string, number>
  readonly isAlive: boolean
}

/** Connections that read so much a second, or nothing. */
export class FloodClient {
  readonly sockets: net.Socket[] = []
  readonly statuses: Record<string, number> = {}
  readonly #port: number
  #awaited = 0

  /** Whether each has had the beginning of an answer, or was closed. */
  get isSettled(): boolean {
    return this.#awaited === 0
  }

  constructor(port: number) {
    this.#port = port
  }

  /** @param bytesPerS undefined: the first kilobytes are read, then nothing */
  async open(bytes: string | Buffer, bytesPerS?: number, localAddress = '127.0.0.1'): Promise<net.Socket> {
    const socket = net.connect({ port: this.#port, host: '127.0.0.1', localAddress })
    this.sockets.push(socket)
    socket.on('error', () => {})
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    socket.write(bytes)
    this.#awaited++
    const settle = (chunk: unknown) => {
      socket.off('data', settle).off('close', settle)
      const status = Buffer.isBuffer(chunk) ? chunk.toString('latin1', 9, 12) : '0'
      this.statuses[status] = (this.statuses[status] ?? 0) + 1
      this.#awaited--
    }
    socket.on('data', settle).on('close', settle)
    socket.once('data', () => {
      if (bytesPerS === undefined) socket.pause()
      else readSlowly(socket, bytesPerS)
    })
    return socket
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }
}

function readSlowly(socket: net.Socket, bytesPerS: number): void {
  socket.on('data', chunk => {
    socket.pause()
    setTimeout(() => socket.resume(), (chunk.length / bytesPerS) * 1000).unref()
  })
}

/** However slowly it is served. */
const MAX_HOLD_S = 60

/** Floods a server of its own, looks at it while it holds on, and again when it has left. */
export async function flood(
  { name, environment, run }: Flood,
  { holdS = 15, restS = 10 }: { holdS?: number; restS?: number } = {},
): Promise<FloodReport> {
  const server = await startFlooded(environment)
  const client = new FloodClient(server.port)
  const probes: Record<string, number> = {}
  const probeOnce = async () => {
    const status = await server.probe()
    probes[status] = (probes[status] ?? 0) + 1
  }
  try {
    await probeOnce()
    const before = server.resident()
    let isSent = false
    const running = run(server.port, client).finally(() => (isSent = true))
    for (let heldS = 0; server.isAlive && heldS < MAX_HOLD_S; heldS++) {
      if (heldS >= holdS && isSent && client.isSettled) break
      await sleep(1000)
      await probeOnce()
    }
    client.close()
    await running
    await sleep(restS * 1000)
    await probeOnce()
    const { statuses } = client
    return { name, before, most: server.most(), after: server.resident(), statuses, probes, isAlive: server.isAlive }
  } finally {
    client.close()
    await server.close()
  }
}

const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`

function rowOf({ name, before, most, after, statuses, probes }: FloodReport): string {
  return `| ${name} | ${mib(before)} | ${mib(most)} | ${mib(after)} | ${JSON.stringify(statuses)} | ${JSON.stringify(probes)} |`
}

/** A command: runs those floods whose name holds `--only`, prints a row of each, and exits with 1 past the bound. */
export async function runFloods(floods: readonly Flood[], maxResident: number): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
  let isGood = true
  console.log('| flood | before | most | after | answers | probes |\n| --- | ---: | ---: | ---: | --- | --- |')
  for (const each of floods.filter(({ name }) => name.includes(values.only))) {
    const report = await flood(each)
    isGood &&= report.isAlive && report.most < maxResident
    console.log(rowOf(report))
  }
  console.log(isGood ? `held below ${mib(maxResident)}` : 'BROKEN')
  process.exitCode = isGood ? 0 : 1
}
