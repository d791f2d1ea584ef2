// The server's logger: JSON lines on stdout, or lines for people where stdout is a terminal.
import { type DestinationStream, type Logger, pino } from 'pino'

export interface LoggerOptions {
  readonly level: string
  readonly stream: DestinationStream
}

/** What may wait until a disk has room again, characters; lines past it are dropped. */
const MAX_WAITING = 16 * 1024 * 1024

/** JSON lines, each written when it is logged. What cannot be written ends no process: it waits, or is lost. */
export function stdout(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: true, maxLength: MAX_WAITING })
  stream.on('error', () => {})
  return stream
}

export function createLogger({ level, stream }: LoggerOptions): Logger {
  return pino({ level }, stream)
}

/** The stream that makes lines for people; undefined where nobody looks. */
export async function prettyStream(): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY) return undefined
  const { default: pretty } = await import('pino-pretty')
  return pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' })
}
