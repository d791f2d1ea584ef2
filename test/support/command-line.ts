// The command line as users run it: the built program, with its output piped, or on a terminal.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { Test } from 'tap'
import { until } from './eventually.ts'
import { serverProgram } from './servers/program.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly stdout: string
  readonly stderr: string
  readonly ended: Promise<Ended>
  /** Resolves once stdout or stderr has this. */
  shows(pattern: RegExp | string): Promise<void>
  type(keys: string): void
}

export interface RunOptions {
  /** Beside PATH, HOME and TERM; colours are off unless NO_COLOR is undefined here. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly input?: string
  /** Default: `toolrack`. */
  readonly program?: string
  /** Of the terminal; default: 100. */
  readonly columns?: number
}

/** Without what tap has every child load, and what this machine sets. Compiled modules are kept: a fifth of a start. */
const ENVIRONMENT = {
  PATH: process.env['PATH']!,
  HOME: process.env['HOME'] ?? '/',
  TERM: 'xterm',
  NO_COLOR: '1',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** With pipes in place of a terminal; without input stdin is closed. */
export function startPiped(t: Test, args: readonly string[], options: RunOptions = {}): Running {
  const { env, cwd, input = '', program = serverProgram() } = options
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { ...ENVIRONMENT, ...env } })
  child.stdin.on('error', () => {}).end(input)
  return follow(t, child)
}

export const runPiped = (t: Test, args: readonly string[], options?: RunOptions): Promise<Ended> =>
  startPiped(t, args, options).ended

/** Why there is no terminal here, for `skip`. The script(1) of BSD has other options. */
export const noTerminal =
  spawnSync('script', ['-qefc', 'stty cols 100', '/dev/null'], { stdio: 'ignore' }).status === 0
    ? false
    : 'there is no script(1) of util-linux, which makes a terminal'

/** On a terminal; stdout and stderr are one stream there. */
export function startOnTerminal(t: Test, args: readonly string[], options: RunOptions = {}): Running {
  const { env, cwd, program = serverProgram(), columns = 100 } = options
  const words = [process.execPath, program, ...args].map(word => `'${word.replaceAll("'", `'\\''`)}'`)
  const command = `stty cols ${columns} rows 40; exec ${words.join(' ')}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env: { ...ENVIRONMENT, ...env } })
  return follow(t, child)
}

export const runOnTerminal = (t: Test, args: readonly string[], options?: RunOptions): Promise<Ended> =>
  startOnTerminal(t, args, options).ended

/** Without what a terminal obeys. */
export const toPlainText = (text: string): string => stripVTControlCharacters(text).replaceAll('\r\n', '\n')

function follow(t: Test, child: ChildProcess): Running {
  const out = { stdout: '', stderr: '' }
  child.stdout!.setEncoding('utf8').on('data', chunk => (out.stdout += chunk))
  child.stderr!.setEncoding('utf8').on('data', chunk => (out.stderr += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code, ...out }))
  t.teardown(() => child.kill('SIGKILL'))
  return {
    child,
    ended,
    get stdout() {
      return out.stdout
    },
    get stderr() {
      return out.stderr
    },
    shows: pattern =>
      until(
        () => has(toPlainText(out.stdout + out.stderr), pattern),
        `${pattern} was shown`,
        // What was shown instead says more than the time-out.
      ).catch(error => {
        throw new Error(`${error.message}: ${JSON.stringify(out)}`)
      }),
    type: keys => void child.stdin!.write(keys),
  }
}

const has = (text: string, pattern: RegExp | string) =>
  typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)
