// What the tools know of a database, be it a server or the embedded one. Every value travels as the text of PostgreSQL.
export interface Rows {
  readonly columns: readonly { readonly name: string; readonly typeId: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** One connection within a transaction. */
export interface Lane {
  /** One statement by the extended protocol, which refuses a second one in the same text. @throws SqlFault */
  run(text: string, values?: readonly string[]): Promise<Rows>
}

export type Work<T> = (lane: Lane) => Promise<T>

/** Who waits for it, and the schema that unqualified names are looked up in, before `public`. */
export interface Call {
  readonly signal: AbortSignal
  readonly schema: string
  readonly log?: { notice(message: unknown, data?: unknown): void }
  progress?(progress: number, total?: number, message?: string): void
}

export interface Inserted {
  readonly schema: string
  readonly table: string
  /** JSON of the row. */
  readonly record: string
}

/** All of it ends at the deadline and with the signal, on the server too. */
export interface Database {
  /** As the role that can only read; whatever happened is rolled back. */
  read<T>(work: Work<T>, call: Call): Promise<T>
  /** As the role that writes, without writing. */
  look<T>(work: Work<T>, call: Call): Promise<T>
  insert(work: Work<Inserted>, call: Call): Promise<Inserted>
}

/** For one call, whatever it runs. */
export const DEADLINE_MS = 5000
/** Connections to a server that read, and that write. */
export const READERS = 4
export const WRITERS = 2
/** Calls that wait for a connection; more are refused. */
export const MAX_WAITING = 32

export interface SqlReport {
  readonly message: string
  /** SQLSTATE. */
  readonly code: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  /** In the text of the statement, characters from 1. */
  readonly position?: number | undefined
  readonly constraint?: string | undefined
  readonly column?: string | undefined
}

/** What the server answered instead of rows. */
export class SqlFault extends Error {
  override name = 'SqlFault'
  readonly report: SqlReport

  constructor(report: SqlReport) {
    super(report.message)
    this.report = report
  }
}

/** An identifier as it is written in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** What comes before the work in each transaction. Roles are not set here: they are a matter of the backend. */
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
