// Servers that are wrong in one way each, and what `toolrack doctor` has to say of them.
import type { Test } from 'tap'
import { runPiped } from './command-line.ts'

export interface Row {
  readonly name: string
  /** @returns the URL, perhaps with variables for the command */
  start(t: Test): Promise<string | { readonly url: string; readonly env: Readonly<Record<string, string>> }>
  readonly args?: readonly string[]
  readonly skip?: string | false
  readonly id: string
  readonly severity?: 'warning' | 'problem'
  readonly cause: RegExp
  readonly fix: RegExp
  /** Other findings than ok that are right there; any other is a wrong cause. */
  readonly beside?: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into findings freely
type Json = any

/** What fakes without a check of their own get. */
const OF_FAKES = ['origin-served', 'host-served', 'revision-header']

/** Each row is a test: the finding names the cause, and nothing else is named. */
export function testRows(t: Test, rows: readonly Row[]): void {
  for (const { name, start, args = [], skip = false, id, severity = 'problem', cause, fix, beside = [] } of rows) {
    t.test(name, { skip }, async t => {
      const started = await start(t)
      const { url, env } = typeof started === 'string' ? { url: started, env: {} } : started

      const { stdout, stderr } = await runPiped(t, ['doctor', url, '--json', '--timeout', '5m', ...args], { env })

      t.equal(stderr, '')
      const faults: Json[] = JSON.parse(stdout).findings.filter((each: Json) => each.severity !== 'ok')
      const found = faults.find(each => each.id === id)
      t.match(found, { severity, cause, fix, effect: /\w.*\.$/ }, JSON.stringify(faults))
      // A busy machine makes everything slow.
      const others = faults.filter(
        each => ![id, ...beside, ...OF_FAKES].includes(each.id) && !each.id.startsWith('slow-'),
      )
      t.strictSame(others, [], 'no other cause is named')
    })
  }
}
