// The output of a server's log: text on a terminal or if a person reads it; else JSON.
import { styleText } from 'node:util'
import { stderr, stdout } from 'toolrack/records'

interface Place {
  /** Writes text also to a file or a pipe, as for a person. */
  readonly isForPeople: boolean
  readonly isStdio: boolean
}

export async function openLog({ isForPeople, isStdio }: Place) {
  const place = isStdio ? process.stderr : process.stdout
  // pino's own stream would write later than other code writes to stdout, such as the start-up report.
  const sink = isStdio ? stderr() : stdout()
  if (!place.isTTY && !isForPeople) return sink
  const { PrettyLog } = await import('./pretty-log.ts')
  const pretty = new PrettyLog({ hasColour: hasColour(place) })
  return { write: (line: string) => sink.write(pretty.format(line)), isTTY: true }
}

/** For a terminal; NO_COLOR and FORCE_COLOR decide. */
export const hasColour = (stream: NodeJS.WriteStream): boolean => styleText('bold', 'x', { stream }) !== 'x'
