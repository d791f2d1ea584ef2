// The server's logger: JSON lines on stdout, or lines for people where stdout is a terminal.
import { isatty } from 'node:tty'
import { type DestinationStream, type Logger, pino, symbols } from 'pino'

export interface LoggerOptions {
  readonly level: string
  readonly stream: DestinationStream
}

/** What may wait until a disk has room again, characters; lines past it are dropped. */
const MAX_WAITING = 16 * 1024 * 1024

/**
 * JSON lines, each written when it is logged. What cannot be written ends no process: it waits, or
 * is lost.
 */
export function stdout(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: true, maxLength: MAX_WAITING })
  stream.on('error', () => {})
  return Object.assign(stream, { isTTY: isatty(1) })
}

export function createLogger({ level, stream }: LoggerOptions): Logger {
  return pino({ level }, stream)
}

/** The stream that makes lines for people; undefined where nobody looks. */
export async function prettyStream(): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY) return undefined
  const { default: pretty } = await import('pino-pretty')
  return Object.assign(pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }), { isTTY: true })
}

/** Whether people read along: the stream of this logger says so, or writes to a terminal. */
export function goesToTerminal(log: object): boolean {
  const { isTTY, fd } = (log as { [symbols.streamSym]?: { isTTY?: unknown; fd?: unknown } })[symbols.streamSym] ?? {}
  return isTTY === true || (typeof fd === 'number' && isatty(fd))
}
