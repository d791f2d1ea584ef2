// The interface of a database, implemented by a PostgreSQL server and by the embedded one. Every
// value is passed as PostgreSQL's text.
export interface Rows {
  readonly columns: readonly { readonly name: string; readonly typeId: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** A connection within a transaction. */
export interface Lane {
  /**
   * Runs one statement by the extended protocol, which refuses a second one in the same text.
   *
   * @throws SqlFault
   */
  run(text: string, values?: readonly string[]): Promise<Rows>
}

export type Work<T> = (lane: Lane) => Promise<T>

/** The call's signal, and the schema in which unqualified names are looked up before `public`. */
export interface Call {
  readonly signal: AbortSignal
  readonly schema: string
  readonly log?: { notice(message: unknown, data?: unknown): void }
  progress?(progress: number, total?: number, message?: string): void
}

export interface Inserted {
  readonly schema: string
  readonly table: string
  /** The row as JSON. */
  readonly record: string
}

/** The deadline and the signal of a call end its statements, on the server too. */
export interface Database {
  /** Runs work as the role that can only read, and rolls back in any case. */
  read<T>(work: Work<T>, call: Call): Promise<T>
  /** Runs work as the role that writes, in a read-only transaction. */
  look<T>(work: Work<T>, call: Call): Promise<T>
  insert(work: Work<Inserted>, call: Call): Promise<Inserted>
}

/** Time limit of one call, for all its statements. */
export const DEADLINE_MS = 5000
/** Connections to a server: those that read, and those that write. */
export const READERS = 4
export const WRITERS = 2
/** Calls that wait for a connection; further calls are refused. */
export const MAX_WAITING = 32

export interface SqlReport {
  readonly message: string
  /** SQLSTATE. */
  readonly code: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  /** Position in the text of the statement, in characters from 1. */
  readonly position?: number | undefined
  readonly constraint?: string | undefined
  readonly column?: string | undefined
}

/** An error that the server answered with. */
export class SqlFault extends Error {
  override name = 'SqlFault'
  readonly report: SqlReport

  constructor(report: SqlReport) {
    super(report.message)
    this.report = report
  }
}

/** Quotes an identifier for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The statements that begin each transaction. Each backend sets its role itself. */
export function opening({ schema }: Call, mode: 'READ ONLY' | 'READ WRITE'): string[] {
  return [
    `BEGIN ${mode}`,
    `SET LOCAL search_path = ${quoted(schema)}, public`,
    `SET LOCAL statement_timeout = ${DEADLINE_MS}`,
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL intervalstyle = 'postgres'",
    'SET LOCAL extra_float_digits = 1',
  ]
}
