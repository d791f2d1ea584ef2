// What the audit keeps while its file cannot be written.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type { RequestEnded } from '../../../src/observability/request-ended.ts'
import { fakeLog } from '../../../test/support/fakes.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { AuditLog } from '../src/audit.ts'
import { MAX_WAITING } from '../src/file.ts'

const ended = (facts: Partial<RequestEnded>): RequestEnded => ({
  source: 'method',
  requestId: 'r-1',
  caller: undefined,
  clientKey: 'address 192.0.2.1',
  headers: {},
  method: 'tools/call',
  ending: { outcome: 'ok' },
  durationMs: 1,
  requestBytes: 1,
  responseJson: '{}',
  log: fakeLog(),
  ...facts,
})

function unwritable(t: Test) {
  const path = join(tempFolder(t, {}, 'audit').path, 'logs', 'audit.log')
  mkdirSync(dirname(path))
  const lost = { lines: 0 }
  const audit = new AuditLog(
    { auditFile: path, auditRequired: true, auditArguments: false, tenantClaim: undefined },
    {
      sink: {},
      mask: text => text,
      log: fakeLog(),
      findSender: () => undefined,
      countLost: lines => (lost.lines += lines),
    },
  )
  rmSync(dirname(path), { recursive: true })
  audit.reopen()
  t.notOk(audit.isReady)
  return { audit, path, lost }
}

const refusals: Readonly<Record<string, Partial<RequestEnded>>> = {
  'calls that are refused by the audit': { ending: { outcome: 'refused', reason: 'AUDIT_UNAVAILABLE' } },
  'requests without a good token': { source: 'http', ending: { outcome: 'denied', reason: 'UNAUTHENTICATED' } },
}

for (const [what, facts] of Object.entries(refusals)) {
  t.test(`a flood of ${what} takes no room of a call that has run`, async t => {
    const { audit, path, lost } = unwritable(t)
    const names = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`${n}`.padEnd(120, 'x'), n]))
    const target = { kind: 'tool', name: 'pay', arguments: names } as const
    const refused = ended({ ...facts, target })
    for (let length = 0; length < 2 * MAX_WAITING; length += 4000) audit.write(refused)
    t.ok(lost.lines > 0)
    const before = lost.lines

    audit.write(ended({ target }))

    t.equal(lost.lines, before)
    mkdirSync(dirname(path))
    await audit.close()
    t.match(readFileSync(path, 'utf8'), /"outcome":"ok"/)
  })
}
