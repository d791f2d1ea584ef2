// RSA keys, of which each takes a tenth of a second to make: kept between processes, and none is given twice in one.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** In node_modules: whoever installs anew has new ones. */
const KEPT = resolve('node_modules/.cache/toolrack/rsa-keys')

const given = new Map<number, number>()

export function rsaKey(modulusLength = 2048): KeyObject {
  const index = given.get(modulusLength) ?? 0
  given.set(modulusLength, index + 1)
  const path = join(KEPT, `${modulusLength}-${index}.pem`)
  return existsSync(path) ? createPrivateKey(readFileSync(path)) : keep(path, modulusLength)
}

function keep(path: string, modulusLength: number): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
  mkdirSync(KEPT, { recursive: true })
  // Another process may read it: it has its name once it is whole.
  const whole = `${path}.${process.pid}`
  writeFileSync(whole, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  renameSync(whole, path)
  return privateKey
}
