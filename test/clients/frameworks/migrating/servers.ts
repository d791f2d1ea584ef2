// The servers of docs/guides/migrating.md, each as a process of its own: an original, and its translation.
import { resolve } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../../support/free-port.ts'
import { start } from '../../../support/servers/own-process.ts'
import { serverProgram } from '../../../support/servers/program.ts'

export type Migration = 'sdk1' | 'sdk2' | 'fastmcp'

const TRANSLATIONS = 'test/support/examples/migrating'

/** Starts both, which end with the test. */
export async function openMigration(t: Test, migration: Migration): Promise<{ there: string; here: string }> {
  const original = resolve('test/clients/frameworks/migrating', `${migration}.ts`)
  const { url: there } = await start(t, original, { PORT: String(await freePort()) })
  // `import … from 'toolrack'` in a translation is the build of this package.
  const toolrack = serverProgram()
  const { url: here } =
    migration === 'sdk1'
      ? await start(t, toolrack, { TOOLS_DIR: resolve(TRANSLATIONS, 'sdk1'), WATCH_TOOLS: 'false' })
      : await start(t, resolve(TRANSLATIONS, `${migration}.ts`), {})
  return { there, here }
}
