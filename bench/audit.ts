// Measures the CPU time of one audit line, all threads, for a call with two arguments and a trace.
// `node bench/audit.ts`
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { AuditLog, type AuditParts } from '../packages/audit/src/audit.ts'
import { createSecretMask } from '../src/execution/mask.ts'
import type { RequestEnded } from '../src/observability/request-ended.ts'
import { OK } from '../src/observability/request-ended.ts'

const LINES = 20_000
const ROUNDS = 7
/** Lines per event loop turn, as if calls came over many connections. */
const PER_TURN = 20

const folder = mkdtempSync(join(tmpdir(), 'toolrack-bench-'))
const log = { debug() {}, info() {}, warn() {}, error: console.error }
const mask = createSecretMask(['a-secret-of-the-settings-1234567'])
const devNull = () => pino.destination({ fd: openSync('/dev/null', 'w'), sync: true })

const WAYS: readonly [string, AuditParts['sink'], { auditFile?: string; auditArguments?: boolean }][] = [
  ['off', {}, {}],
  ['made, and thrown away', { stream: { write() {} } }, {}],
  ['made with values, and thrown away', { stream: { write() {} } }, { auditArguments: true }],
  ['to stdout (/dev/null)', { stream: devNull() }, {}],
  ['to AUDIT_FILE', {}, { auditFile: join(folder, 'audit.log') }],
]

const eventOf = (n: number): RequestEnded => ({
  source: 'method',
  log,
  requestId: `977956eb-${n}`,
  caller: { subject: 'alice', clientId: 'agent', scopes: [] },
  clientKey: 'subject alice',
  headers: {},
  method: 'tools/call',
  params: {
    name: 'get_price',
    arguments: { sku: 'ABC-1234', count: 3 },
    _meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  },
  ending: OK,
  status: 200,
  durationMs: 1.234,
  requestBytes: 377,
  target: { kind: 'tool', name: 'get_price', arguments: { sku: 'ABC-1234', count: 3 } },
  responseJson: 'x'.repeat(183),
})

for (const [name, trail, { auditFile, auditArguments = false }] of WAYS) {
  const audit = new AuditLog(
    { auditFile, auditRequired: false, auditArguments, tenantClaim: undefined },
    { sink: trail, mask, log, findSender: () => undefined, countLost: () => {} },
  )
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    for (let n = 0; n < LINES; n++) {
      audit.write(eventOf(n))
      if (n % PER_TURN === 0) await new Promise(setImmediate)
    }
    const { user, system } = process.cpuUsage(before)
    rounds.push((user + system) / LINES)
  }
  await audit.close()
  console.log(`${name}: ${rounds.toSorted((a, b) => a - b)[ROUNDS >> 1]!.toFixed(1)} µs a line`)
}
rmSync(folder, { recursive: true })
