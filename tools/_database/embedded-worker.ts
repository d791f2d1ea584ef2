// The thread of the embedded database. It loads a copy of the samples, or creates them, and adds the
// records inserted since. Then it runs the statements that it receives.
import { parentPort, workerData } from 'node:worker_threads'
import type { Inserted, SqlReport } from './database.ts'
import { type Copy, createSamples, loadBuiltSamples, loadSamples, type SampleDatabase } from './sample-copy.ts'

/** 512 MiB: a query that needs more fails with "out of memory", and the process keeps running. */
const MAX_PAGES = 8192
/** WebAssembly memory never shrinks; past this size the thread asks to be replaced. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024
const MAX_TEXT = 2000

const memories: { buffer: ArrayBuffer }[] = []
limitMemory()
const { PGlite } = await import('@electric-sql/pglite')
const { db, copy } = await open(workerData.copy)
await restore(workerData.records)

parentPort!.on('message', async ({ text, values }: { text: string; values: string[] }) => {
  const isLarge = memories.some(({ buffer }) => buffer.byteLength > MAX_KEPT_BYTES)
  parentPort!.postMessage({ ...(await answer(text, values)), isLarge })
})
parentPort!.postMessage({ rows: { columns: [], rows: [] }, copy })

async function open(copy: Copy | undefined): Promise<SampleDatabase> {
  const create = PGlite.create.bind(PGlite)
  if (copy !== undefined) return loadSamples(create, copy)
  return (await loadBuiltSamples(create)) ?? createSamples(create)
}

async function answer(text: string, values: string[]) {
  try {
    const { fields, rows } = await db.query<(string | null)[]>(text, values, { rowMode: 'array' })
    const columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }))
    return { rows: { columns, rows } }
  } catch (error) {
    return { fault: reportOf(error) }
  }
}

function reportOf(error: unknown): SqlReport {
  const { message, code = 'XX000', detail, hint, position, constraint, column } = error as Record<string, string>
  const cut = (text: string | undefined) => text?.slice(0, MAX_TEXT)
  return {
    message: cut(message) ?? '',
    code,
    detail: cut(detail),
    hint: cut(hint),
    position: Number(position) || undefined,
    constraint,
    column,
  }
}

async function restore(records: readonly Inserted[]): Promise<void> {
  const tables = new Set<string>()
  for (const { schema, table, record } of records) {
    const name = `"${schema}"."${table}"`
    tables.add(name)
    await db.query(
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::${name}, $1::jsonb)`,
      [record],
    )
  }
  for (const name of tables) {
    await db.query(`SELECT setval(pg_get_serial_sequence($1, 'id'), (SELECT max(id) FROM ${name}))`, [name])
  }
}

// TypeScript's library declares WebAssembly as a name only.
interface Wasm {
  Memory: new (descriptor: { maximum?: number }) => { buffer: ArrayBuffer }
}

function limitMemory(): void {
  const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly
  wasm.Memory = class extends wasm.Memory {
    constructor({ maximum = MAX_PAGES, ...rest }: { maximum?: number }) {
      super({ ...rest, maximum: Math.min(maximum, MAX_PAGES) })
      memories.push(this)
    }
  }
}
