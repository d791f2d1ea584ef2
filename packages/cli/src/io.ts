// The output of commands. Results go to stdout; errors, warnings and progress go to stderr. With
// `--json`, stdout gets one JSON document and nothing else.
import type { ReadStream, WriteStream } from 'node:tty'
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]
type Output = Pick<WriteStream, 'write' | 'isTTY' | 'columns'>

export interface Io {
  readonly stdin: Pick<ReadStream, 'isTTY'>
  readonly stdout: Output
  readonly stderr: Output
  /** Whether stdin and stderr are a terminal, so that the user can be asked. */
  readonly isInteractive: boolean
  /** Writes a line to stdout. */
  print(text: string): void
  /** Writes a line to stderr. */
  note(text: string): void
  printJson(value: unknown): void
  /** Text in a colour, if stdout is a terminal and NO_COLOR is not set. */
  paint(style: Style, text: string): string
  /** The same for stderr. */
  paintNote(style: Style, text: string): string
}

export function createIo({ stdin, stdout, stderr }: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>): Io {
  return {
    stdin,
    stdout,
    stderr,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    print: text => void stdout.write(`${text}\n`),
    note: text => void stderr.write(`${text}\n`),
    printJson: value => void stdout.write(`${JSON.stringify(value, undefined, 2)}\n`),
    paint: (style, text) => styleText(style, text, { stream: stdout }),
    paintNote: (style, text) => styleText(style, text, { stream: stderr }),
  }
}
