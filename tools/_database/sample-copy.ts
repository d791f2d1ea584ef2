// Creates the sample database, or loads a copy of it in a fifth of the time. `npm run build` makes a
// copy; without one, or if the samples have changed since, the first start creates the database.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { PGlite, PGliteOptions } from '@electric-sql/pglite'
import { LOCKS, SAMPLES } from './samples.ts'

/** A data directory as a tar file, compressed by Zstandard. */
export type Copy = Uint8Array<ArrayBuffer>

export interface SampleDatabase {
  readonly db: PGlite
  readonly copy: Copy
}

/** `PGlite.create` */
export type CreateDatabase = (options: PGliteOptions) => Promise<PGlite>

// The default of 128 MB would hold the same few tables.
const CONFIG = ['shared_buffers = 16MB']
const HASH = createHash('sha256').update(SAMPLES).update(LOCKS).digest('hex').slice(0, 12)

export const COPY_FILE = `samples-${HASH}.tar.zst`

export async function createSamples(create: CreateDatabase): Promise<SampleDatabase> {
  const db = await create({ postgresqlconf: CONFIG })
  await db.exec(SAMPLES)
  await db.exec(LOCKS)
  await db.exec('CHECKPOINT')
  const tar = await db.dumpDataDir('none')
  return { db, copy: zstdCompressSync(await tar.arrayBuffer()) as Copy }
}

export async function loadSamples(create: CreateDatabase, copy: Copy): Promise<SampleDatabase> {
  const loadDataDir = new Blob([zstdDecompressSync(copy) as Copy], { type: 'application/x-tar' })
  return { db: await create({ loadDataDir, postgresqlconf: CONFIG }), copy }
}

const HERE = new URL('.', import.meta.url)

/** Loads the copy of the build; undefined if there is none that this PGlite can read. */
export async function loadBuiltSamples(create: CreateDatabase, folder = HERE): Promise<SampleDatabase | undefined> {
  const file = new URL(COPY_FILE, folder)
  if (!existsSync(file)) return undefined
  return loadSamples(create, readFileSync(file)).catch(() => undefined)
}
