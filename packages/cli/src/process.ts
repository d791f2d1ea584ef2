// Runs a command line as a process: its output, and its end.
import { EXIT, formatError, getExitCode } from './errors.ts'
import { createIo, type Io } from './io.ts'

/** @param run parses the arguments and runs the command */
export async function runAsProcess(run: (io: Io) => Promise<void>): Promise<void> {
  endQuietlyIfNobodyReads()
  await endIfFailed(() => run(createIo(process)))
}

/** Prints the reason of a failure, and ends the process with the exit code of the error. */
export async function endIfFailed(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const text = formatError(error)
    process.stderr.write(text === '' ? '' : `${text}\n`, () => process.exit(getExitCode(error)))
  }
}

/** Ends the process once the output is written. A timer of a tool, for example, could keep it alive. */
export function exit({ stdout }: Io, code: number): Promise<never> {
  return new Promise(() => void stdout.write('', () => process.exit(code)))
}

/**
 * `toolrack list | head -1`: the reader has read enough. Other errors come from a disk, such as a
 * full one.
 */
function endQuietlyIfNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    process.stderr.write(`could not write to stdout: ${error.message}\n`, () => process.exit(EXIT.failed))
  })
}
