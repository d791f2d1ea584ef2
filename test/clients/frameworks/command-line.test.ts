// The command line as a client of servers that are not ours: SDK 2.x and fastmcp.
import { resolve } from 'node:path'
import t from 'tap'
import { runPiped } from '../../support/command-line.ts'
import { freePort } from '../../support/free-port.ts'
import { start } from '../../support/servers/own-process.ts'

t.setTimeout(900_000)

const SERVERS = [
  { name: 'SDK 2.x', file: 'sdk2.ts', options: [], revisions: /speaks 2026-07-28/ },
  // Its `authenticate` wants a key.
  { name: 'fastmcp', file: 'fastmcp.ts', options: ['--header', 'x-api-key: key-of-ada'], revisions: /sessions speak/ },
] as const

for (const { name, file, options, revisions } of SERVERS) {
  t.test(`${name}: list, call and doctor`, async t => {
    const original = resolve('test/clients/frameworks/migrating', file)
    const { url } = await start(t, original, { PORT: String(await freePort()) })
    const run = (command: string, ...words: readonly string[]) => runPiped(t, [command, ...options, url, ...words])

    t.match(await run('list', 'get_*'), {
      code: 0,
      stdout: /^get_price\(sku: string, count\?: integer = 1\) → \{ price: number, currency: string \}\tread-only\t/,
    })
    t.match(await run('call', 'get_price', 'sku=ABC-1234'), { code: 0, stdout: '{"price":42,"currency":"EUR"}\n' })
    t.match(await run('call', 'get_price', 'sku=none'), { code: 1, stderr: 'There is no product none.\n' })
    const { stdout } = await run('doctor')
    t.match(stdout, revisions)
    t.match(stdout, /^ok +lists +\d tools, /m)
    t.match(stdout, /^ok +clock /m)
  })
}
