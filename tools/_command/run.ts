// Runs one program without a shell: each argument is one entry of argv, the environment holds only
// what is set here, and no process that the program starts outlives the call.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { ToolError } from 'toolrack'
import { Capture } from './capture.ts'
import { disown, end, type Group, MARK, own, terminate } from './group.ts'
import { type Progress, teller } from './teller.ts'

/** Time between SIGTERM and SIGKILL. */
const TERM_GRACE_MS = 1000
/** How long other processes may hold the pipes open after the program has ended. */
const PIPE_GRACE_MS = 250

type Child = ChildProcessByStdio<null, Readable, Readable> & Group

export interface Ended {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Of both streams together. */
  readonly droppedBytes: number
  readonly durationMs: number
}

export interface Circumstances {
  /** On abort, the program and all processes that it started are ended. */
  readonly signal: AbortSignal
  /** Receives the bytes so far and the last line. */
  readonly progress: Progress
}

/** @throws ToolError if the program cannot be started; the signal's reason if that ended it */
export async function run(path: string, args: readonly string[], circumstances: Circumstances): Promise<Ended> {
  const cwd = await workingFolder()
  circumstances.signal.throwIfAborted()
  const startedAtMs = performance.now()
  const child = await start(path, args, cwd)
  own(child)
  try {
    const ended = await follow(child, circumstances)
    circumstances.signal.throwIfAborted()
    return { ...ended, durationMs: Math.round(performance.now() - startedAtMs) }
  } finally {
    // Also ends background processes that the program left behind with their output elsewhere.
    end(child)
    disown(child)
  }
}

async function workingFolder(): Promise<string> {
  const folder = resolve(process.env['FILES_DIR'] || tmpdir())
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory()) return folder
  throw new ToolError('The folder that commands run in is not there. The operator should check FILES_DIR.')
}

async function start(path: string, args: readonly string[], cwd: string): Promise<Child> {
  // Inherits only PATH, since the environment of the server holds its secrets.
  const mark = crypto.randomUUID()
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, LANG: 'C.UTF-8', TERM: 'dumb', [MARK]: mark }
  try {
    const child = spawn(path, args, { cwd, env, shell: false, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    // If there is no process, its streams may be undefined.
    if (child.pid === undefined) throw (await once(child, 'error'))[0]
    return Object.assign(child, { pid: child.pid, mark })
  } catch (error) {
    throw notStarted((error as NodeJS.ErrnoException).code)
  }
}

function notStarted(code = 'unknown reason'): ToolError {
  if (code === 'E2BIG') return new ToolError('The arguments are too long together (E2BIG). Call again with fewer.')
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') {
    return new ToolError(`The server cannot start another process now (${code}). Try again in a minute.`)
  }
  return new ToolError(`The program cannot be started (${code}). The operator should check it and EXEC_ALLOW.`)
}

async function follow(child: Child, { signal: abort, progress }: Circumstances) {
  const tell = teller(progress)
  const [stdout, stderr] = [new Capture(child.stdout, tell.add), new Capture(child.stderr, tell.add)]
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    terminate(child)
    timer = setTimeout(() => end(child), TERM_GRACE_MS)
  }
  abort.addEventListener('abort', stop)
  try {
    const [exitCode, endedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    await within(abort.aborted ? TERM_GRACE_MS : PIPE_GRACE_MS, closed)
    // Ends the processes that still hold a pipe; only a daemon that was not found keeps it.
    end(child)
    await within(PIPE_GRACE_MS, closed)
    return {
      exitCode,
      signal: endedBy,
      stdout: stdout.text(),
      stderr: stderr.text(),
      droppedBytes: stdout.droppedBytes + stderr.droppedBytes,
    }
  } finally {
    abort.removeEventListener('abort', stop)
    clearTimeout(timer)
    tell.end()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function within(ms: number, event: Promise<void>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([event, wait(ms, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}
