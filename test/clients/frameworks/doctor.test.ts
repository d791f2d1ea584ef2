// `toolrack doctor` finds nothing wrong with servers of the well-known kits, each a process of its own.
import { resolve } from 'node:path'
import t from 'tap'
import { runPiped } from '../../support/command-line.ts'
import { freePort } from '../../support/free-port.ts'
import { start } from '../../support/servers/own-process.ts'

// Servers that take seconds to start, one after the other.
t.setTimeout(900_000)

/** Right: these servers check neither Origin nor Host. */
const ON_LOOPBACK = ['host-served', 'origin-served']
const MIGRATING = 'test/clients/frameworks/migrating'

const SERVERS = [
  { name: 'SDK 1.x', file: `${MIGRATING}/sdk1.ts`, warnings: ON_LOOPBACK },
  { name: 'SDK 2.x', file: `${MIGRATING}/sdk2.ts`, warnings: [] },
  // Its `authenticate` wants a key.
  {
    name: 'fastmcp',
    file: `${MIGRATING}/fastmcp.ts`,
    options: ['--header', 'x-api-key: key-of-ada'],
    warnings: ON_LOOPBACK,
  },
  // Right, too: it answers 400 to a session that it does not know, and clients wait for 404.
  {
    name: 'server-everything',
    file: 'test/clients/frameworks/everything.ts',
    warnings: [...ON_LOOPBACK, 'unknown-session'],
  },
]

for (const { name, file, options = [], warnings } of SERVERS) {
  t.test(name, async t => {
    const port = String(await freePort())
    const { url } = await start(t, resolve(file), { PORT: port })

    const { stdout } = await runPiped(t, ['doctor', url, '--json', '--timeout', '5m', ...options])

    const { findings } = JSON.parse(stdout)
    const faults = findings.filter(
      // A busy machine makes everything slow.
      ({ severity, id }: { severity: string; id: string }) => severity !== 'ok' && !id.startsWith('slow-'),
    )
    t.strictSame(faults.map(({ id }: { id: string }) => id).toSorted(), warnings, JSON.stringify(faults))
    t.ok(findings.some(({ check }: { check: string }) => check === 'lists'))
  })
}
