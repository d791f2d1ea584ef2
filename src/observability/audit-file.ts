// The audit file: append-only, written in the background so that a slow disk delays no call.
// The queue is bounded, and the log reports lost lines.
import { closeSync, constants, openSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import { ConfigError } from '../config/settings.ts'
import type { Log } from '../request/exchange.ts'

/** Queued characters; above it lines are dropped. */
const MAX_WAITING = 16 * 1024 * 1024
/** Characters per write, large enough to catch up after a delay. */
const MAX_WRITE = 256 * 1024

export interface AuditFile {
  readonly stream: DestinationStream
  /** Resolves when all lines are written, or cannot be. */
  close(): Promise<void>
}

/** @throws ConfigError naming the setting */
export function openAuditFile(path: string, log: Log): AuditFile {
  const stream = pino.destination({
    dest: open(path),
    sync: false,
    minLength: 0,
    maxWrite: MAX_WRITE,
    maxLength: MAX_WAITING,
  })
  let isFailing = false
  let isBroken = false
  const fail = (reason: string) => {
    // Logged once until it works again: the log may be on the same disk.
    if (!isFailing) log.error({ reason }, 'audit lines are lost')
    isFailing = true
  }
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Pino stops writing to a pipe without a reader.
    isBroken = error.code === 'EPIPE'
    fail(error.code ?? error.message)
  })
  stream.on('drop', () => fail('the file is slower than the calls'))
  stream.on('drain', () => {
    isFailing = false
  })
  return {
    stream,
    close: () =>
      new Promise(resolve => {
        // Pino overrides `destroy` for a broken pipe; without it, closing would retry forever.
        const giveUp = () => Object.getPrototypeOf(stream).destroy.call(stream)
        stream.once('close', resolve)
        if (isBroken) return giveUp()
        stream.once('error', giveUp)
        stream.end()
      }),
  }
}

/** @throws ConfigError if the file cannot be opened for appending */
export function assertAuditFile(path: string | undefined, name: string): void {
  if (path !== undefined) closeSync(open(path, name))
}

// Appends, so that a copied and truncated file continues at its start. Only the owner may read it.
// O_NONBLOCK makes a pipe without a reader an error instead of a start that hangs.
function open(path: string, name = 'auditFile'): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = constants
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
  } catch (error) {
    throw new ConfigError(
      `${name}: expected a file that can be added to; ${path}: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
}
