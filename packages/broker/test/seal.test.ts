import t from 'tap'
import { loadKeys } from '../src/keys.ts'
import { createSeal } from '../src/state/seal.ts'

const NONE = { SIGNING_KEYS: undefined, KEYS_PATH: undefined }

t.test('a sealed text is opened for its entry, with its keys, and as it is', async t => {
  const keys = loadKeys(NONE)
  const seal = createSeal(keys)
  const sealed = seal.seal('a refresh token', 'grant')
  const changed = Buffer.from(sealed, 'base64')
  changed[15]! ^= 1

  t.equal(seal.open(sealed, 'grant'), 'a refresh token')
  t.notMatch(Buffer.from(sealed, 'base64').toString('latin1'), 'refresh')
  t.not(seal.seal('a refresh token', 'grant'), sealed)
  t.equal(seal.open(sealed, 'another'), undefined)
  t.equal(seal.open(changed.toString('base64'), 'grant'), undefined)
  t.equal(seal.open('', 'grant'), undefined)
  t.equal(createSeal(loadKeys(NONE)).open(sealed, 'grant'), undefined)
  t.equal(createSeal([...loadKeys(NONE), ...keys]).open(sealed, 'grant'), 'a refresh token', 'after a rotation')
})
