// Names that look like `setup` and `close`, but that nothing calls.
import type { Log } from 'toolrack/source'

const MEANT: Readonly<Record<string, 'setup' | 'close'>> = {
  setUp: 'setup',
  init: 'setup',
  tearDown: 'close',
  teardown: 'close',
  shutdown: 'close',
  dispose: 'close',
}

/** Logs one warning for each exported function with such a name. */
export function warnOfLifecycleNames(log: Log, exported: object, file: string): void {
  for (const [name, value] of Object.entries(exported)) {
    const meant = Object.hasOwn(MEANT, name) ? MEANT[name]! : undefined
    if (meant === undefined || typeof value !== 'function' || Object.hasOwn(exported, meant)) continue
    const reason = `exports ${name}, which is not called; did you mean ${meant}?`
    log.warn({ file, reason }, 'likely mistake in a tool file')
  }
}
