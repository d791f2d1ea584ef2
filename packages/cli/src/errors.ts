// Ends commands that fail: with an exit code, and one line on stderr if the user can fix the error.
import { ConfigError } from 'toolrack/settings'
import { StartError } from 'toolrack/stores'
import { hideCredentials, toOneLine } from 'toolrack/text'

/** docs/reference/cli.md lists them. */
export const EXIT = {
  ok: 0,
  /** The command could not do its work, or it found a fault. */
  failed: 1,
  /** The arguments are invalid. */
  usage: 2,
  /** There was a question, and nobody could answer it. */
  unanswered: 3,
  /** 128 + SIGINT: Ctrl-C. */
  interrupted: 130,
} as const

/** The command has failed. The message is for the user: it says what to do. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number = EXIT.failed
}

/** The arguments are invalid. */
export class UsageError extends CommandError {
  override name = 'UsageError'
  override readonly exitCode = EXIT.usage
}

/** The server, or the command, has a question that nobody can answer. */
export class UnansweredError extends CommandError {
  override name = 'UnansweredError'
  override readonly exitCode = EXIT.unanswered
  /** In the server's form: a message with a form, or with a URL. */
  readonly questions: readonly object[]

  constructor(message: string, questions: readonly object[] = []) {
    super(message)
    this.questions = questions
  }
}

/** The user has pressed Ctrl-C. The message is empty. */
export class InterruptedError extends CommandError {
  override name = 'InterruptedError'
  override readonly exitCode = EXIT.interrupted
}

export const getExitCode = (error: unknown): number => (error instanceof CommandError ? error.exitCode : EXIT.failed)

/**
 * Errors that the user can fix are one line, since they repeat values, such as a folder name. Any
 * other error is a bug, and needs its stack.
 */
export const formatError = (error: unknown): string => hideCredentials(describeError(error))

function describeError(error: unknown): string {
  const isPlain = [ConfigError, CommandError, StartError].some(kind => error instanceof kind)
  if (isPlain || (error instanceof Error && 'syscall' in error)) return toOneLine((error as Error).message)
  return (error as Error)?.stack ?? String(error)
}
