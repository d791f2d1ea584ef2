// A PostgreSQL server: a few connections of a login that reads, and fewer of one that writes. If a
// caller leaves or a call is late, its statement is cancelled on the server, and the connection is
// not reused.
import type pg from 'pg'
import { ToolError } from 'toolrack'
import { connect, count, faultOf, laneOf, MAX_RECEIVED_BYTES, optionsOf } from './connection.ts'
import {
  type Call,
  type Database,
  DEADLINE_MS,
  type Lane,
  MAX_WAITING,
  opening,
  READERS,
  SqlFault,
  WRITERS,
} from './database.ts'
import { TOO_SLOW } from './faults.ts'
import { readerOf } from './reader-role.ts'
import type { Settings } from './settings.ts'

const IDLE_MS = 10_000
const BUSY = 'The database is busy with other calls. Try again in a moment.'
const UNCERTAIN =
  'The connection was lost, or the time was up, while the record was being stored: it may be there or not. Look with ' +
  'query_database before another create_record.'
const TOO_MUCH = 'The database sent more than one call may receive. Select fewer or shorter values.'

export function openPostgres(url: string, { readUrl }: Pick<Settings, 'readUrl'>): Database {
  const writers = lazyPool(async () => url, WRITERS)
  const reader = readerOf({ url, readUrl, connect })
  const readers = lazyPool(reader.url, READERS)
  return {
    async read(work, call) {
      await reader.ready(call)
      const once = async () => inTransaction(await readers(call), { mode: 'READ ONLY', end: 'ROLLBACK', call, work })
      try {
        return await once()
      } catch (error) {
        // A read can be repeated safely after a lost connection: the server has restarted, or an
        // administrator has ended the connection.
        if (isLost(error, call) || (await reader.mayBeMendedBy(error, call))) return await once()
        throw error
      }
    },
    async look(work, call) {
      return inTransaction(await writers(call), { mode: 'READ ONLY', end: 'ROLLBACK', call, work })
    },
    async insert(work, call) {
      return inTransaction(await writers(call), { mode: 'READ WRITE', end: 'COMMIT', call, work })
    },
  }
}

function isLost(error: unknown, { signal }: Call): boolean {
  if (signal.aborted || error instanceof ToolError) return false
  return error instanceof SqlFault ? error.report.code === '57P01' : true
}

type OpenPool = (call: Call) => Promise<pg.Pool>

function lazyPool(urlOf: (call: Call) => Promise<string>, max: number): OpenPool {
  let pool: pg.Pool | undefined
  return async call => {
    const connectionString = await urlOf(call)
    const { default: driver } = await import('pg')
    pool ??= new driver.Pool({ ...optionsOf(connectionString), max, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true })
    // The pool discards a broken idle connection; without a listener, its error would end the
    // process.
    if (pool.listenerCount('error') === 0) pool.on('error', () => {})
    if (pool.waitingCount >= MAX_WAITING) throw new ToolError(BUSY)
    return pool
  }
}

interface Transaction<T> {
  readonly mode: 'READ ONLY' | 'READ WRITE'
  readonly end: 'COMMIT' | 'ROLLBACK'
  readonly call: Call
  readonly work: (lane: Lane) => Promise<T>
}

async function inTransaction<T>(pool: pg.Pool, { mode, end, call, work }: Transaction<T>): Promise<T> {
  const late = AbortSignal.timeout(DEADLINE_MS)
  const signal = AbortSignal.any([call.signal, late])
  const client = await pool.connect().catch(error => {
    throw pool.totalCount === pool.options.max && pool.idleCount === 0 ? new ToolError(BUSY) : faultOf(error)
  })
  // If the caller has left meanwhile, the connection is returned unused.
  if (signal.aborted) client.release()
  signal.throwIfAborted()
  const { received, stop } = count(client)
  const lane = laneOf(client, signal)
  let isClean = false
  try {
    for (const text of opening(call, mode)) await lane.run(text)
    const result = await work(lane)
    signal.throwIfAborted()
    await lane.run(end).catch(error => {
      throw end === 'COMMIT' && !(error instanceof SqlFault) ? new ToolError(UNCERTAIN) : error
    })
    isClean = true
    return result
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (received() > MAX_RECEIVED_BYTES) throw new ToolError(TOO_MUCH)
    if (late.aborted && !call.signal.aborted) throw new ToolError(TOO_SLOW)
    throw error
  } finally {
    void giveBack(pool, client, { isClean, isStopped: signal.aborted }).finally(stop)
  }
}

async function giveBack(
  pool: pg.Pool,
  client: pg.PoolClient,
  { isClean, isStopped }: { isClean: boolean; isStopped: boolean },
): Promise<void> {
  try {
    if (isStopped) await cancel(pool, client)
    else {
      if (!isClean) await client.query('ROLLBACK')
      await client.query('DISCARD ALL')
    }
    client.release(isStopped)
  } catch {
    client.release(true)
  }
}

/** Asks the server to cancel the statement of a connection; allowed, since the role is the same. */
async function cancel(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID } = client as unknown as { processID: number | null }
  const url = pool.options.connectionString
  if (processID === null || url === undefined) return
  await connect(url, lane => lane.run('SELECT pg_cancel_backend($1::int)::text', [String(processID)]))
}
