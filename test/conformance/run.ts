// npm run conformance: the official suite against the fixture server; with `-- --replicas` against two of them that share
// a Redis, behind a proxy that gives each the next request. Exits with 1 on anything but full success.
import { parseArgs } from 'node:util'
import { serveReplicas } from '../support/replicas/serve-replicas.ts'
import { LEFT_OUT, RUNS } from './expected.ts'
import { judgeCatalogue, type Verdict } from './judge.ts'
import { listScenarios, runSuite, type Serve, serveAlone } from './suite.ts'

const MAX_RUN_MS = 180_000

/** One line, and what is wrong with it. */
interface Finding {
  readonly what: string
  readonly faults: readonly string[]
}

interface Summary {
  readonly name: string
  readonly verdicts: readonly Verdict[]
}

function print({ what, faults }: Finding): void {
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${what}`)
  for (const fault of faults) console.log(`     ${fault}`)
}

/** @returns what was wrong */
async function runAll(summaries: Summary[], serve: Serve, signal: AbortSignal): Promise<number> {
  const scenarios = await listScenarios(signal)
  const faults = judgeCatalogue(scenarios)
  print({ what: `${scenarios.length} scenarios in the suite`, faults })
  let failed = faults.length
  for (const run of RUNS) {
    const verdicts = await runSuite(run, signal, serve)
    summaries.push({ name: run.name, verdicts })
    for (const { scenario, passed, expected, faults } of verdicts) {
      print({ what: `${run.name} ${scenario} ${passed} of ${expected}`, faults })
      failed += faults.length
    }
  }
  return failed
}

function printSummary({ name, verdicts }: Summary): void {
  const sum = (count: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + count(verdict), 0)
  const checks = `${sum(({ passed }) => passed)} of ${sum(({ expected }) => expected)} checks`
  console.log(`${name}: ${checks}, ${verdicts.length} scenarios, ${sum(({ faults }) => faults.length)} faults`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { replicas: { type: 'boolean', default: false } } })
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  const summaries: Summary[] = []
  let failed = 1
  try {
    const serve = values.replicas ? serveReplicas : serveAlone
    failed = await runAll(summaries, serve, AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_RUN_MS)]))
  } catch (error) {
    print({ what: 'the run', faults: [error instanceof Error ? error.message : String(error)] })
  }
  console.log('')
  for (const [reason, names] of Object.entries(LEFT_OUT)) console.log(`left out, ${reason}: ${names.join(', ')}`)
  for (const summary of summaries) printSummary(summary)
  process.exitCode = failed === 0 ? 0 : 1
}

await main()
