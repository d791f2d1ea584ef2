// Makes the copy of the sample database that starts faster than a new one, in tools/ and in dist/.
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { COPY_FILE, createSamples } from '../tools/_database/sample-copy.ts'

const FOLDER = 'tools/_database'

export async function buildSampleCopy(): Promise<void> {
  const file = join(FOLDER, COPY_FILE)
  for (const name of readdirSync(FOLDER)) {
    if (name.endsWith('.tar.zst') && name !== COPY_FILE) rmSync(join(FOLDER, name))
  }
  if (!existsSync(file)) {
    const { db, copy } = await createSamples(PGlite.create.bind(PGlite))
    writeFileSync(file, copy)
    await db.close()
  }
  copyFileSync(file, join('dist', file))
}
