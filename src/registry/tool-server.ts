// The server as the `setup` of a tool file gets it: `setup` changes the file's definitions, and logs.
import { LOG_LEVELS, type LogLevel } from '../protocol/schemas/common.ts'
import type { Definition } from './catalog.ts'
import type { LogMethod, ToolContext } from './handler-context.ts'

/**
 * The server, as `setup` of a tool file gets it.
 * It belongs to one version of a file. Once that version is replaced, only `log` works.
 */
export interface ToolServer {
  /** Writes to the server's log with the name of the file, masked as the log of a call. */
  readonly log: ToolContext['log']
  /**
   * Serves definitions as if the file exported them, and announces the change. They replace those of
   * the same name that the file has. Those that `setup` adds before it ends are served with the file.
   *
   * @throws Error naming each that is invalid, or that another file serves; the others are served
   */
  add(definitions: Definition | readonly Definition[]): void
  /**
   * Removes a tool by name, or any definition, of this file.
   *
   * @returns whether the file served it @throws Error if another file does
   */
  remove(what: string | Definition): boolean
  /** Notifies the subscribers of a resource. */
  resourceUpdated(uri: string): void
}

/** The methods of a log. */
export function createLevels(
  write: (level: LogLevel, message: unknown, data: unknown) => void,
): Readonly<Record<LogLevel, LogMethod>> {
  const methods = LOG_LEVELS.map((level): [LogLevel, LogMethod] => [
    level,
    (message, data) => write(level, message, data),
  ])
  return Object.freeze(Object.fromEntries(methods)) as Record<LogLevel, LogMethod>
}
