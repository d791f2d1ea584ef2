// Where audit lines go: a file that is only ever added to. Written in the background, so that a
// slow disk holds up no call; what waits has a bound, and what is lost is said in the log.
import { closeSync, constants, openSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import { ConfigError } from '../config/settings.ts'
import type { Log } from '../request/exchange.ts'

/** What may wait for the disk, characters; lines past it are dropped. */
const MAX_WAITING = 16 * 1024 * 1024
/** What is written at once, so that a file catches up. */
const MAX_WRITE = 256 * 1024

export interface AuditFile {
  readonly stream: DestinationStream
  /** Resolves when all has been written, or cannot be. */
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
    // Once until it works again: the log may be on the same disk.
    if (!isFailing) log.error({ reason }, 'audit lines are lost')
    isFailing = true
  }
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Pino writes no more to a pipe that nobody reads.
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
        // Pino takes `destroy` from a broken pipe too. What cannot be written would else be tried
        // at the end for ever.
        const giveUp = () => Object.getPrototypeOf(stream).destroy.call(stream)
        stream.once('close', resolve)
        if (isBroken) return giveUp()
        stream.once('error', giveUp)
        stream.end()
      }),
  }
}

/** @throws ConfigError where the file that is named cannot be added to */
export function assertAuditFile(path: string | undefined, name: string): void {
  if (path !== undefined) closeSync(open(path, name))
}

// Appending, so that a file that is copied and truncated goes on at its start; for its owner only;
// and a pipe that nobody reads is an error, rather than a start that hangs.
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
