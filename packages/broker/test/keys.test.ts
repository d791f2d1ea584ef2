// Signing keys: made once, read strictly, rotated.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calculateJwkThumbprint } from 'jose'
import t from 'tap'
import { deriveCookieKeys, loadKeys, readOpenMode, rotateKeys } from '../src/keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolrack-broker-keys-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const load = (KEYS_PATH: string | undefined, SIGNING_KEYS?: string) => loadKeys({ KEYS_PATH, SIGNING_KEYS })

t.test('a file that is missing is made, and read again as it is; its name is the thumbprint', async t => {
  const path = join(folder, 'made.json')
  const [key] = load(path)

  t.strictSame(load(path), [key])
  t.equal(key!.kid, await calculateJwkThumbprint(key as Parameters<typeof calculateJwkThumbprint>[0]))
  t.not(load(undefined)[0]!.kid, load(undefined)[0]!.kid)
})

t.test('a rotation puts a new key in front; cookies signed before it still count', async t => {
  const path = join(folder, 'rotated.json')
  const [old] = load(path)
  const before = deriveCookieKeys([old!])
  const keys = rotateKeys(path)

  t.equal(keys[1]!.kid, old!.kid)
  t.ok(deriveCookieKeys(keys).includes(before[0]!))
  t.notMatch(JSON.stringify(before), old!.d)
})

t.test('a mounted secret of another user is open to be read, and never to be changed', async t => {
  const path = join(folder, 'mounted.json')
  load(path)
  const [own, another] = [process.getuid!(), process.getuid!() + 1]
  for (const [mode, ifOwn, ifAnother] of [
    [0o600, undefined, undefined],
    [0o440, undefined, undefined],
    // As Docker and Kubernetes mount it, for root.
    [0o444, '444', undefined],
    [0o644, '644', undefined],
    [0o660, '660', '660'],
    [0o666, '666', '666'],
  ] as const) {
    chmodSync(path, mode)
    t.strictSame([readOpenMode(path, own), readOpenMode(path, another)], [ifOwn, ifAnother], mode.toString(8))
  }
})

t.test('an editor may have put a byte order mark before the keys', async t => {
  const path = join(folder, 'marked.json')
  const [key] = load(path)
  writeFileSync(path, `\ufeff${readFileSync(path, 'utf8')}`)

  t.strictSame(load(path), [key])
})

t.test('what is no set of private keys is refused, and the setting is named', async t => {
  const { d: _, ...publicKey } = load(undefined)[0]!
  for (const text of ['', 'no JSON', '{}', '{"keys":[]}', '{"keys":[null]}', JSON.stringify({ keys: [publicKey] })]) {
    t.throws(() => load(undefined, text), /^SIGNING_KEYS: expected a JWK set of private P-256 keys/, text)
    const path = join(folder, 'wrong.json')
    writeFileSync(path, text)
    t.throws(() => load(path), /^KEYS_PATH: expected a JWK set/)
  }
  t.throws(() => load(join(folder, 'none', 'keys.json')), /^KEYS_PATH: ENOENT/)
})
