// The server's logger: JSON lines on stdout.
import { isatty } from 'node:tty'
import { type DestinationStream, type Logger, pino, stdSerializers, symbols } from 'pino'
import { isError, toLogged } from '../text/logged-error.ts'

export interface LoggerOptions {
  readonly level: string
  readonly stream: DestinationStream
}

/** Characters that may wait for a full disk; above it lines are dropped. */
const MAX_WAITING = 16 * 1024 * 1024

/** Writes JSON lines synchronously. A write error may lose lines but does not end the process. */
export function stdout(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: true, maxLength: MAX_WAITING })
  stream.on('error', () => {})
  return Object.assign(stream, { isTTY: isatty(1) })
}

/** Writes JSON lines to stderr, and never waits for its reader: lines without room are dropped. */
export function stderr(): DestinationStream {
  const stream = process.stderr.on('error', () => {})
  const write = (line: string) => void (stream.writableLength < MAX_WAITING && stream.write(line))
  return Object.assign({ write }, { isTTY: stream.isTTY })
}

/** Also used for errors that Fastify and its plugins log. Logs other values as they are. */
const serialise = (thrown: Error) => (isError(thrown) ? stdSerializers.err(toLogged(thrown)) : thrown)

export function createLogger({ level, stream }: LoggerOptions): Logger {
  return pino({ level, serializers: { err: serialise } }, stream)
}

/** Whether the logger writes to a terminal. */
export function goesToTerminal(log: object): boolean {
  const { isTTY, fd } = (log as { [symbols.streamSym]?: { isTTY?: unknown; fd?: unknown } })[symbols.streamSym] ?? {}
  return isTTY === true || (typeof fd === 'number' && isatty(fd))
}
