// What needs cryptography, in a Node that may use nothing but the FIPS provider of its OpenSSL (docs/reference/cryptography.md).
import { spawnSync } from 'node:child_process'
import t from 'tap'

const NODE_OPTIONS = '--force-fips'
const withoutTap = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TAP')))
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...withoutTap, NODE_OPTIONS } })

const { status, stderr } = run('-e', '0')
const skip = status !== 0 && 'this Node has no FIPS provider'

t.test('without a FIPS provider Node says so, and does not start', { skip: status === 0 }, async t => {
  t.match(stderr, /fips/i)
})

for (const file of [
  'packages/tokens/test/http/issuers-file.test.ts',
  'packages/tokens/test/http/providers.test.ts',
  'test/http/input/request-state.test.ts',
  'test/security/access/b-api-keys.test.ts',
  'test/unit/legacy/session-tickets.test.ts',
  'packages/audit/test/chain-check.test.ts',
  'packages/broker/test/processes/tokens.test.ts',
  'packages/cli/test/processes/client/call.test.ts',
  'test/processes/replicas/seals.test.ts',
]) {
  t.test(`under FIPS: ${file}`, { skip }, async t => {
    const { status, stdout } = run(file)
    t.equal(status, 0, stdout.slice(-2000))
  })
}
