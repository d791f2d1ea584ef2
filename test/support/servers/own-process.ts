// The server as a process of its own, with tools that misbehave.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { SECRET_FILES } from '../../../packages/environment/src/secret-files.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { type CallOptions, readMessages, request } from '../app.ts'
import { until } from '../eventually.ts'
import { serverProgram } from './program.ts'

export interface Process {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  readonly stdout: string
  /** Every line of the log so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
  readonly lines: any[]
  /** The code it ended with. */
  readonly exited: Promise<number | null>
}

/** Colours too: Node warns on stderr where one of them overrules another. */
const OF_OTHERS = /^(?:OTEL_.*|NODE_ENV|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS)$/

/** Without settings of servers, which the shell may have, and without those of colours, which a test runner sets. */
export const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !Object.hasOwn(SETTINGS, name) && !SECRET_FILES.includes(name) && !OF_OTHERS.test(name),
    ),
  )

/** The real thing, with the files as its tools. Ends with the test. */
export async function serve(
  t: Test,
  files: Record<string, string>,
  environment: Record<string, string> = {},
): Promise<Process> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-hostile-'))
  const all = {
    'probe.mjs': `export default { name: 'probe', description: 'Says that it is alive.', handler: () => 'alive' }`,
    ...files,
  }
  for (const [name, source] of Object.entries(all)) writeFileSync(join(folder, name), source)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return start(t, serverProgram(), { TOOLS_DIR: folder, WATCH_TOOLS: 'false', ...environment })
}

/** A program that serves, on a port of its own. Ends with the test. @param node that runs it */
export async function start(
  t: Test,
  program: string,
  environment: Record<string, string>,
  cwd?: string,
  args: readonly string[] = [],
  node = process.execPath,
): Promise<Process> {
  const env = { ...withoutSettings(process.env), HOST: '127.0.0.1', PORT: '0', ...environment }
  const child = spawn(node, [program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const out = { stdout: '', port: 0 }
  child.stdout.setEncoding('utf8').on('data', chunk => (out.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', chunk => (out.stdout += chunk))
  // With its output: what it said last may come behind its end.
  const exited = once(child, 'close').then(([code]) => code as number | null)
  t.teardown(() => child.kill('SIGKILL'))
  // With what follows the port, of which a first part may come alone.
  const listening = /Server listening at http:\/\/127\.0\.0\.1:(\d+)\D/
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await until(() => listening.test(out.stdout) || hasEnded(), 'the server listened or ended')
  if (hasEnded()) await exited
  const port = Number(listening.exec(out.stdout)?.[1])
  if (!(port > 0)) throw new Error(`did not start: ${out.stdout}`)
  return {
    child,
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    exited,
    get stdout() {
      return out.stdout
    },
    get lines() {
      return out.stdout.split('\n').filter(Boolean).map(readLine)
    },
  }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return { raw: line }
  }
}

/** What a server answers that has stood still with its machine, and so takes itself for overloaded. */
const SHED = /^Server busy: the process is overloaded/

/** A call over HTTP: the status, the headers and the message. As clients do, it comes again where load was shed. */
export async function callOver(url: string, name: string, args: object = {}, options: CallOptions = {}) {
  const { message, headers } = request('tools/call', { name, arguments: args }, options)
  const { host: _, ...rest } = headers
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
    const body = readMessages(response.headers.get('content-type') ?? '', await response.text()).at(-1) as any
    // 408: the connection was there before it stood still, and the request behind it.
    const wasShed = response.status === 408 || (response.status === 503 && SHED.test(body.error?.message ?? ''))
    if (!wasShed || tries === 30) return { status: response.status, headers: response.headers, body }
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
}
