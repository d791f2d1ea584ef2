// Where the log of a server goes: as text on a terminal, or if a person reads it; else as JSON.
import { styleText } from 'node:util'
import { stderr, stdout } from 'toolrack/records'

interface Place {
  /** Text also for a file or a pipe, as if a person read them. */
  readonly isForPeople: boolean
  readonly isStdio: boolean
}

export async function openLog({ isForPeople, isStdio }: Place) {
  const place = isStdio ? process.stderr : process.stdout
  // Its own stream writes later than others write to stdout, such as the start-up.
  const sink = isStdio ? stderr() : stdout()
  if (!place.isTTY && !isForPeople) return sink
  const { PrettyLog } = await import('./pretty-log.ts')
  const pretty = new PrettyLog({ hasColour: hasColour(place) })
  return { write: (line: string) => sink.write(pretty.format(line)), isTTY: true }
}

/** On a terminal, as NO_COLOR and FORCE_COLOR say. */
export const hasColour = (stream: NodeJS.WriteStream): boolean => styleText('bold', 'x', { stream }) !== 'x'
