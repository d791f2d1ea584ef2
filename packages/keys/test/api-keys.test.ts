// API keys: which are taken, and how the file is followed.
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { isApiKey } from '../../../src/auth/api-key.ts'
import type { Log } from '../../../src/request/exchange.ts'
import { type KeysFile, keysFile, keysJson, type TestKey, testKey } from '../../../test/support/auth/api-keys.ts'
import { until } from '../../../test/support/eventually.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { findApiKeyId, generateApiKey, hashApiKey } from '../src/api-key.ts'
import { ApiKeys } from '../src/api-keys.ts'

interface Opened {
  readonly keys: ApiKeys
  readonly clock: { nowMs: number }
  readonly warnings: unknown[]
}

/** Looks at the file every 5 ms. */
function open(t: Test, path: string, onCheck?: () => void): Opened {
  const clock = { nowMs: Date.now() }
  const warnings: unknown[] = []
  const log = { info: () => {}, warn: (fields: object) => void warnings.push(fields) } as unknown as Log
  const keys = new ApiKeys({ file: path, log, now: () => clock.nowMs, checkMs: 5, onCheck })
  keys.start()
  t.teardown(() => keys.close())
  return { keys, clock, warnings }
}

function opened(t: Test, ...all: readonly TestKey[]): Opened & { file: KeysFile } {
  const file = keysFile(t, ...all)
  return { ...open(t, file.path), file }
}

const isTaken = (keys: ApiKeys, { key }: TestKey) => {
  try {
    return keys.verify(key) !== undefined
  } catch {
    return false
  }
}

t.test('a key has a prefix, an id and 256 random bits, and one spelling', async t => {
  const { id, key } = generateApiKey(() => false)

  t.match(key, /^trk_[0-9a-f]{12}_[0-9a-f]{64}$/)
  t.equal(findApiKeyId(key), id)
  t.ok(isApiKey(key))
  t.notOk(isApiKey('eyJhbGciOiJIUzI1NiJ9.e30.x'))
  for (const other of [
    `${key}0`,
    key.slice(0, -1),
    key.toUpperCase(),
    ` ${key}`,
    `${key}\n`,
    key.replace('trk_', 'trk-'),
  ])
    t.equal(findApiKeyId(other), undefined, other)
  t.equal(hashApiKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

t.test('an id is never given twice', async t => {
  const asked: string[] = []
  const { id } = generateApiKey(id => asked.push(id) < 3)

  t.equal(asked.length, 3)
  t.equal(id, asked[2])
})

t.test('a key is its caller: subject, scopes, claims, and its id as the client', async t => {
  const key = testKey({ scopes: ['a', 'b'], claims: { tenant: 'acme', teams: ['x'] } })
  const { keys } = opened(t, key)

  const caller = keys.verify(key.key)

  const { id, expires } = key.record
  const expiresAtMs = Date.parse(expires)
  const known = { subject: 'n8n', clientId: id, scopes: ['a', 'b'], claims: { tenant: 'acme', teams: ['x'] } }
  t.strictSame(caller, { issuer: 'urn:toolrack:api-keys', ...known, expiresAtMs })
  t.equal(keys.verify(key.key), caller, 'the same for each request')
  t.throws(() => (caller.scopes as string[]).push('admin'), TypeError, 'so no tool may change it')
  t.throws(() => (caller.claims!['teams'] as string[]).push('y'), TypeError)
})

t.test('no claims at all cannot be added to either', async t => {
  const key = testKey({ claims: {} })
  const { claims } = opened(t, key).keys.verify(key.key)

  t.throws(() => Object.assign(claims!, { tenant: 'acme' }), TypeError)
})

t.test('a key is refused from the millisecond of its end', async t => {
  const key = testKey()
  const { keys, clock } = opened(t, key)
  const endMs = Date.parse(key.record.expires)

  clock.nowMs = endMs - 1
  const caller = keys.verify(key.key)
  t.notOk(keys.hasEnded(caller))
  clock.nowMs = endMs
  t.throws(() => keys.verify(key.key), /expired/)
  t.ok(keys.hasEnded(caller))
})

t.test('what is not known is refused: other secrets, other ids, names of prototypes', async t => {
  const [key, other] = [testKey(), testKey()]
  const named = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'].map(
    id => `trk_${id.toLowerCase()}_${'0'.repeat(64)}`,
  )
  const { keys } = opened(t, key, other)
  const [, id, secret] = key.key.split('_')
  const wrong = [
    `trk_${id}_${other.key.split('_')[2]}`,
    `trk_${other.record.id}_${secret}`,
    `trk_aaaaaaaaaaaa_${secret}`,
    `trk___proto___${secret}`,
    ...named,
    key.record.hash,
    '',
  ]

  for (const each of wrong) t.throws(() => keys.verify(each), /not known|form of an API key/, each)
})

t.test('callers of others are never at their end here', async t => {
  const { keys } = opened(t)

  t.notOk(keys.hasEnded({ issuer: 'https://as.example', subject: 'n8n', scopes: [] }))
  t.notOk(keys.hasEnded({ subject: 'n8n', scopes: [] }))
})

t.test('a key that is taken away ends, and one that is added counts', async t => {
  const [first, second] = [testKey(), testKey()]
  const { keys, file } = opened(t, first)
  const caller = keys.verify(first.key)

  file.set(second)
  await until(() => isTaken(keys, second), 'the file was read again')

  t.throws(() => keys.verify(first.key), /not known/)
  t.ok(keys.hasEnded(caller))
})

t.test('a byte order mark that an editor has put before the keys is skipped', async t => {
  const [key, added] = [testKey(), testKey()]
  const { keys, file, warnings } = opened(t, key)

  file.write(`\ufeff${keysJson(key, added)}`)

  await until(() => isTaken(keys, added), 'the new key counts')
  t.ok(isTaken(keys, key))
  t.strictSame(warnings, [])
  t.ok(isTaken(open(t, file.path).keys, added), 'at a start, too')
})

t.test('a key with other rights is another caller; one with another name is the same', async t => {
  const key = testKey({ scopes: ['a', 'b'] })
  const { keys, file } = opened(t, key)
  const caller = keys.verify(key.key)
  const change = (over: object) => {
    file.write(JSON.stringify({ keys: [{ ...key.record, ...over }] }))
    keys.reload()
  }

  change({ name: 'of the office' })
  t.equal(keys.verify(key.key), caller)
  t.notOk(keys.hasEnded(caller))
  change({ scopes: ['a'] })
  t.strictSame(keys.verify(key.key).scopes, ['a'])
  t.ok(keys.hasEnded(caller))
})

// How files are changed: each has to be noticed.
const CHANGES: Readonly<Record<string, (path: string, text: string) => unknown>> = {
  'written in place': writeFileSync,
  'replaced by another': (path, text) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  },
  'removed and put back': async (path, text) => {
    unlinkSync(path)
    writeFileSync(path, text)
  },
  'emptied and written': (path, text) => {
    truncateSync(path)
    appendFileSync(path, text)
  },
  'turned into a link': (path, text) => {
    writeFileSync(`${path}.other`, text)
    rmSync(path)
    symlinkSync(`${path}.other`, path)
  },
}

for (const [how, change] of Object.entries(CHANGES)) {
  t.test(`the file is ${how}`, async t => {
    const [first, second] = [testKey(), testKey()]
    const { keys, file } = opened(t, first)

    change(file.path, keysJson(second))
    await until(() => isTaken(keys, second), how)

    t.notOk(isTaken(keys, first))
    t.strictSame(keys.problems, [])
  })
}

t.test('Kubernetes swaps the link of a folder', async t => {
  const [first, second] = [testKey(), testKey()]
  const { path: mount } = tempFolder(t, {}, 'mount')
  const put = (version: string, text: string) => {
    mkdirSync(join(mount, version))
    writeFileSync(join(mount, version, 'keys.json'), text)
    symlinkSync(version, join(mount, '..data_tmp'))
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'))
  }
  put('..2026_1', keysJson(first))
  symlinkSync(join('..data', 'keys.json'), join(mount, 'keys.json'))
  const { keys } = open(t, join(mount, 'keys.json'))
  t.ok(isTaken(keys, first))

  put('..2026_2', keysJson(second))
  rmSync(join(mount, '..2026_1'), { recursive: true })
  await until(() => isTaken(keys, second), 'the link was swapped')

  t.notOk(isTaken(keys, first))
})

// What is wrong with a file; with it, the keys before stay.
const FAULTS: Readonly<Record<string, (path: string) => unknown>> = {
  'expected JSON': path => writeFileSync(path, '{"keys":'),
  'did you mean expires': path => writeFileSync(path, '{"keys":[{"id":"abcd","expire":1}]}'),
  'there is no file': unlinkSync,
  'expected a file': path => {
    unlinkSync(path)
    mkdirSync(path)
  },
}

for (const [said, spoil] of Object.entries(FAULTS)) {
  t.test(`a bad change keeps the keys and says so once: ${said}`, async t => {
    const [first, second] = [testKey(), testKey()]
    const { keys, file, warnings } = opened(t, first)
    const caller = keys.verify(first.key)

    spoil(file.path)
    await until(() => keys.problems.length > 0, said)
    for (let at = 0; at < 3; at++) keys.reload()

    t.match(keys.problems[0], said)
    t.match(warnings, [{ file: file.path, reason: said }])
    t.equal(warnings.length, 1)
    t.equal(keys.verify(first.key), caller)
    rmSync(file.path, { recursive: true, force: true })
    file.set(first, second)
    await until(() => isTaken(keys, second), 'it is right again')
    t.strictSame(keys.problems, [])
  })
}

t.test('a file that is bad from the start is not opened', async t => {
  const { path: folder } = tempFolder(t, { 'bad.json': '[]' })
  const reject = (name: string, message: RegExp) => t.throws(() => open(t, join(folder, name)), message, name)

  reject('bad.json', /"keys"/)
  reject('missing.json', /^there is no file /)
  reject('bad.json/x', /^there is no file /)
  reject('.', /^expected a file/)
  t.throws(() => open(t, '/dev/zero'), /^expected a file/)
  t.throws(() => open(t, join(dirname(folder), 'a\0b')), /cannot be read/)
})

t.test('a file that everybody may write is warned of, once; that others read it matters to nobody', async t => {
  const key = testKey()
  const { keys, file, warnings } = opened(t, key)

  chmodSync(file.path, 0o644)
  keys.reload()
  t.strictSame(warnings, [])
  chmodSync(file.path, 0o646)
  for (let at = 0; at < 3; at++) keys.reload()

  t.match(warnings, [{ file: file.path, hint: 'chmod o-w' }])
  t.ok(isTaken(keys, key))
})

t.test('each look at the file tells who waits for keys that end', async t => {
  let told = 0
  const { keys } = open(t, keysFile(t).path, () => told++)

  keys.reload()
  t.equal(told, 1)
  await until(() => told > 2, 'further looks')
})
