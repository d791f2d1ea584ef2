// Files of state for tests, each in a folder that goes with its test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreContext } from '../../../src/state/store.ts'
import type { Ending } from '../../state/src/suites/check.ts'
import { StateFile, type StateFileOptions } from '../src/file.ts'

export interface Logged {
  readonly level: string
  readonly sentence: string
}

/** @returns what a server tells its stores, and what was logged since */
export function aContext(over: Partial<StoreContext> = {}) {
  const logged: Logged[] = []
  const at = (level: string) => (_fields: object, sentence: string) => void logged.push({ level, sentence })
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const context = { log, sessionTtlMs: 60_000, maxConcurrentCalls: 100, hasStateSecret: false, ...over } as StoreContext
  return { context, logged }
}

/** Another one each time, of which there is nothing yet. */
export function aPath(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-state-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.db')
}

/** Makes the stores of a file, and opens it. @param make as `sqlite` does: stores come before the start */
export function opened<T>(
  t: Ending,
  make: (file: StateFile) => T,
  { path = aPath(t), ...options }: Partial<StateFileOptions> = {},
) {
  const file = new StateFile({ path, ...options })
  const store = make(file)
  const { context, logged } = aContext()
  file.start(context)
  t.teardown(() => file.close())
  return { file, store, path, logged }
}
