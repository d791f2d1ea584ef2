// npm run conformance: the official suite against the fixture server. Exits with 1 on anything but full success.
import { LEFT_OUT, REVISIONS } from './expected.ts'
import { judgeCatalogue } from './judge.ts'
import { listScenarios, runSuite } from './suite.ts'

const MAX_RUN_MS = 180_000

interface Finding {
  readonly what: string
  /** Checks that succeeded. */
  readonly passed: number
  readonly faults: readonly string[]
}

async function* findings(signal: AbortSignal): AsyncGenerator<Finding> {
  const scenarios = await listScenarios(signal)
  yield { what: `${scenarios.length} scenarios in the suite`, passed: 0, faults: judgeCatalogue(scenarios) }
  for (const revision of REVISIONS) {
    for (const { scenario, passed, expected, faults } of await runSuite(revision, signal)) {
      const count = passed === expected ? `${passed}` : `${passed} of ${expected}`
      yield { what: `${revision} ${scenario} ${count}`, passed, faults }
    }
  }
}

function print({ what, faults }: Finding): void {
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${what}`)
  for (const fault of faults) console.log(`     ${fault}`)
}

async function main(): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  const found: Finding[] = []
  try {
    for await (const finding of findings(AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_RUN_MS)]))) {
      found.push(finding)
      print(finding)
    }
  } catch (error) {
    const broken = { what: 'the run', passed: 0, faults: [error instanceof Error ? error.message : String(error)] }
    found.push(broken)
    print(broken)
  }
  for (const [reason, names] of Object.entries(LEFT_OUT)) console.log(`\nleft out, ${reason}: ${names.join(', ')}`)
  const passed = found.reduce((sum, finding) => sum + finding.passed, 0)
  const failed = found.reduce((sum, { faults }) => sum + faults.length, 0)
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

await main()
