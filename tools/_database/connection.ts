// A connection to PostgreSQL: its options, the rows or faults of its statements, and a bound on
// the bytes it receives.
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { DEADLINE_MS, type Lane, type Rows, SqlFault } from './database.ts'
import { stoppable } from './stoppable.ts'

const CONNECT_MS = 3000
/** Bytes that one call may receive, error messages included. */
export const MAX_RECEIVED_BYTES = 4 * 1024 * 1024

export const optionsOf = (connectionString: string): pg.ClientConfig => ({
  connectionString,
  connectionTimeoutMillis: CONNECT_MS,
  application_name: 'toolrack',
  // A client-side timeout: a server that never answers would keep the connection forever.
  query_timeout: DEADLINE_MS + CONNECT_MS,
})

/** Runs work on a connection of its own, for work that is not part of a call. */
export async function connect<T>(url: string, work: (lane: Lane) => Promise<T>): Promise<T> {
  const { default: driver } = await import('pg')
  const client = new driver.Client({ ...optionsOf(url), statement_timeout: DEADLINE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(laneOf(client))
  } catch (error) {
    throw faultOf(error)
  } finally {
    client.end().catch(() => {})
  }
}

/** Ends the connection past the bound: an error message can be as long as a value. */
export function count(client: pg.PoolClient): { received: () => number; stop: () => void } {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  let bytes = 0
  const onData = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_RECEIVED_BYTES) stream.destroy()
  }
  // Without a listener, an error that no statement waits for would end the process.
  const onError = () => {}
  stream.on('data', onData)
  client.on('error', onError)
  return {
    received: () => bytes,
    stop: () => {
      stream.off('data', onData)
      client.off('error', onError)
    },
  }
}

const AS_TEXT = { getTypeParser: () => (value: string | Buffer) => String(value) }

export function laneOf(client: pg.ClientBase, signal?: AbortSignal): Lane {
  return {
    async run(text, values = []): Promise<Rows> {
      signal?.throwIfAborted()
      const config = { text, values: [...values], rowMode: 'array', types: AS_TEXT, queryMode: 'extended' } as const
      const result = await stoppable(client.query<(string | null)[]>(config), signal).catch(error => {
        throw faultOf(error)
      })
      return { columns: result.fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rows: result.rows }
    },
  }
}

export function faultOf(error: unknown): unknown {
  const { severity, code, message, detail, hint, position, constraint, column } = error as pg.DatabaseError
  if (severity === undefined || code === undefined) return error
  return new SqlFault({ code, message, detail, hint, position: Number(position) || undefined, constraint, column })
}
