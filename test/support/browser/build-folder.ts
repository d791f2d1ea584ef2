// A folder for what this process builds: another run of the tests beside it does not touch it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** It goes with the process. */
export function createBuildFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `toolrack-${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
