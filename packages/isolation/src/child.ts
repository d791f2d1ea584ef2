// A child process for isolated tools, as the server sees it: its options, messages and end.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Channel } from './channel.ts'
import { type Fault, type FromRun, isFromChild, type ToChild } from './messages.ts'

/** Old-generation heap of a child, MB. V8 ends a process that needs more. */
export const MAX_HEAP_MB = 256
/**
 * Resident memory of a child, MB. It includes memory that V8 does not bound, such as buffers and
 * native code.
 */
const MAX_RESIDENT_MB = 640
/** How long a child's output may stay open after its end, ms: its own children may hold it. */
const MAX_OUTPUT_MS = 500
const MAX_DUMP = 16_384

/** The end of a child that the server did not kill. */
export interface Ending {
  readonly hasStarted: boolean
  readonly isOutOfMemory: boolean
  readonly how: string
}

/** The call that uses the child. */
export interface User {
  onMessage(message: FromRun): void
  onEnd(ending: Ending): void
}

export interface ChildOptions {
  readonly environment: NodeJS.ProcessEnv
  /** Longest message, characters. */
  readonly maxMessageLength: number
  onFault(fault: Fault): void
  /** Called once, after the last message. */
  onEnd(): void
}

export class Child {
  readonly #process: ChildProcess
  readonly #channel: Channel | undefined
  readonly #options: ChildOptions
  #user: User | undefined
  #isKilled = false
  #isOutOfMemory = false
  #startError: Error | undefined
  #closing: NodeJS.Timeout | undefined
  /** The text that V8 and Node print in a crash. */
  #dump = ''

  constructor(options: ChildOptions) {
    this.#options = options
    const flags = [...withoutOwnFlags(process.execArgv), `--max-old-space-size=${MAX_HEAP_MB}`]
    this.#process = spawn(process.execPath, [...flags, fileURLToPath(entryUrl())], {
      env: options.environment,
      // The child must not change the modes of the server's files or terminal. The last entry is the
      // channel.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#process.on('error', error => (this.#startError ??= error))
    this.#process.on('exit', () => (this.#closing = setTimeout(() => this.#closeOutput(), MAX_OUTPUT_MS)))
    // Unlike `exit`, `close` follows the last message.
    this.#process.on('close', (code, signal) => this.#end(signal === null ? `exit code ${code}` : `signal ${signal}`))
    // If no descriptors are left, the pipes are missing.
    const [, stdout, stderr, socket] = (this.#process.stdio ?? []) as (Socket | undefined)[]
    stdout?.on('data', (chunk: Buffer) => process.stdout.write(chunk)).unref()
    stderr?.on('data', (chunk: Buffer) => this.#forwardError(chunk)).unref()
    this.#channel = socket && this.#open(socket)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get isUsable(): boolean {
    return this.#channel?.isOpen === true && !this.#isKilled
  }

  /** Keeps the server's process alive until `letGo`. */
  use(user: User): void {
    this.#user = user
    this.#process.ref()
    this.#channel?.hold(true)
  }

  letGo(): void {
    this.#user = undefined
    this.#process.unref()
    this.#channel?.hold(false)
  }

  /** Drops the message if the child has ended; `onEnd` reports that. */
  send(message: ToChild): void {
    this.#channel?.send(message)
  }

  kill(): void {
    this.#isKilled = true
    // `close` may have to wait for the end of the child.
    this.#process.ref()
    try {
      this.#process.kill('SIGKILL')
    } catch {
      // If the system forbids the signal, the child ends itself when its channel closes.
      this.#channel?.close()
    }
  }

  /** Kills a child that uses too much memory. Only Linux reports how much it uses. */
  checkMemory(): void {
    if (this.#isKilled || residentMb(this.pid) <= MAX_RESIDENT_MB) return
    this.#isOutOfMemory = true
    this.kill()
  }

  #open(socket: Socket): Channel {
    // The tool's code has closed the channel, or the child has ended.
    socket.on('close', () => this.kill())
    const onNonsense = () => this.#channel?.close()
    return new Channel(socket, {
      maxLength: this.#options.maxMessageLength,
      onMessage: message => {
        if (!isFromChild(message)) onNonsense()
        else if (message.kind === 'fault') this.#options.onFault(message)
        else this.#user?.onMessage(message)
      },
      onNonsense,
    })
  }

  // Removes crash dumps from stderr: the log already has the line that an operator needs.
  #forwardError(chunk: Buffer): void {
    const text = chunk.toString('latin1')
    const start = this.#dump === '' ? text.search(DUMP) : 0
    if (start !== 0) process.stderr.write(start < 0 ? chunk : chunk.subarray(0, start))
    if (start >= 0) this.#dump = (this.#dump + text.slice(start)).slice(0, MAX_DUMP)
  }

  #closeOutput(): void {
    this.#process.stdout?.destroy()
    this.#process.stderr?.destroy()
    this.#channel?.close()
  }

  #end(how: string): void {
    this.#isKilled = true
    clearTimeout(this.#closing)
    const fatal = OUT_OF_MEMORY.exec(this.#dump)?.[0]
    this.#options.onEnd()
    this.#user?.onEnd({
      hasStarted: this.pid !== undefined,
      isOutOfMemory: this.#isOutOfMemory || fatal !== undefined,
      how: this.#startError?.message ?? fatal ?? how,
    })
  }
}

/** First line of a dump by V8 or Node. */
const DUMP = /\n{0,2}^(?:<--- Last few GCs --->|FATAL ERROR: .* out of memory|----- Native stack trace -----)$/m
const OUT_OF_MEMORY = /^FATAL ERROR: .* out of memory$/m

/** Node flags for the server only; those of the second kind have a value as next argument. */
const OWN_FLAG = /^--(?:inspect|max[-_]|input-type|eval|print)|^-p?e?$/
const OWN_FLAG_WITH_VALUE = /^(?:--(?:inspect-port|input-type|eval|print)|-p?e|-p)$/

function withoutOwnFlags(flags: readonly string[]): string[] {
  return flags.filter((flag, index) => !OWN_FLAG.test(flag) && !OWN_FLAG_WITH_VALUE.test(flags[index - 1] ?? ''))
}

function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    // The child has ended, or this is not Linux.
    return 0
  }
}

// Both are entries of the build, in one folder.
function entryUrl(): URL {
  const here = import.meta.url
  return new URL(here.endsWith('.ts') ? './entry.ts' : './entry.js', here)
}
