// The server's logger: JSON lines on stdout, or readable lines on a terminal.
import { isatty } from 'node:tty'
import { styleText } from 'node:util'
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

/** Fastify and its plugins log errors, too. What is not one was chosen by whoever logs it. */
const serialise = (thrown: Error) => (isError(thrown) ? stdSerializers.err(toLogged(thrown)) : thrown)

export function createLogger({ level, stream }: LoggerOptions): Logger {
  return pino({ level, serializers: { err: serialise } }, stream)
}

/**
 * The stream for readable lines; undefined if its place is not a terminal.
 *
 * @param isForced has it also for a file or a pipe, as if a person read them
 */
export async function prettyStream({
  isForced = false,
  toStderr = false,
} = {}): Promise<DestinationStream | undefined> {
  const place = toStderr ? process.stderr : process.stdout
  if (!place.isTTY && !isForced) return undefined
  const { PrettyLog } = await import('./pretty-log.ts')
  const pretty = new PrettyLog({ hasColour: hasColour(place) })
  const sink = toStderr ? stderr() : stdout()
  // Its own stream writes later than others write to stdout, such as the start-up.
  return Object.assign({ write: (line: string) => sink.write(pretty.format(line)) }, { isTTY: true })
}

/** On a terminal, as NO_COLOR and FORCE_COLOR say. */
export const hasColour = (stream: NodeJS.WriteStream = process.stdout): boolean =>
  styleText('bold', 'x', { stream }) !== 'x'

/** Whether the logger writes to a terminal. */
export function goesToTerminal(log: object): boolean {
  const { isTTY, fd } = (log as { [symbols.streamSym]?: { isTTY?: unknown; fd?: unknown } })[symbols.streamSym] ?? {}
  return isTTY === true || (typeof fd === 'number' && isatty(fd))
}
