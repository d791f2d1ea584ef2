// Finds functions that a tool file exports under a name that nothing calls.
import type { Log } from 'toolrack/protocol'

/** What other names for `setup` and `close` a file may export. */
const LIFECYCLE_NAMES: Readonly<Record<string, 'setup' | 'close'>> = {
  setUp: 'setup',
  init: 'setup',
  tearDown: 'close',
  teardown: 'close',
  shutdown: 'close',
  dispose: 'close',
}

/** Logs one warning for each function that the file exports under a name that nothing calls. */
export function warnOfExports(log: Log, exported: object, file: string): void {
  for (const [name, value] of Object.entries(exported)) {
    const meant = Object.hasOwn(LIFECYCLE_NAMES, name) ? LIFECYCLE_NAMES[name]! : undefined
    if (meant === undefined || typeof value !== 'function' || Object.hasOwn(exported, meant)) continue
    const reason = `exports ${name}, which is not called; did you mean ${meant}?`
    log.warn({ file, reason }, 'likely mistake in a tool file')
  }
}
