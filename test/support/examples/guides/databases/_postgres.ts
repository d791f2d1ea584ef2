import pg from 'pg'

export let reader: pg.Pool
export let writer: pg.Pool

export async function setup() {
  reader = open('SHOP_READ_URL')
  writer = open('SHOP_WRITE_URL')
  await Promise.all([reader.query('SELECT 1'), writer.query('SELECT 1')])
}

export const close = () => Promise.all([reader?.end(), writer?.end()])

function open(variable: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: process.env[variable],
    max: 5,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
  })
  // An idle connection that breaks is replaced by the next query.
  pool.on('error', () => {})
  return pool
}
