// Tries every forgery of an API key, on a server with keys alone and on one with tokens beside
// them.
import { hash } from 'node:crypto'
import type { Test } from 'tap'
import { generateApiKey } from '../../../packages/keys/src/api-key.ts'
import { API_KEY_ISSUER } from '../../../src/auth/api-key.ts'
import { build } from '../app.ts'
import { recorder } from '../security/probe.ts'
import { keysFile, type TestKey, testKey } from './api-keys.ts'
import { attempt, createReport, isServed, type Report, secretTarget, type Target, tryAll } from './attack-tokens.ts'
import { AUDIENCE, ISSUER, keyIssuers, SECRET, secretIssuer } from './forge.ts'
import { ABSENT, ELSEWHERE, type Forgery } from './forged.ts'

/** Of a server that has keys alone. */
const CHALLENGE = /^Bearer (?:error="invalid_token", error_description="[^"]+", )?realm="toolrack"/

const change = (text: string, at: number, to: string) => text.slice(0, at) + to + text.slice(at + to.length)
const flip = (digit: string) => (digit === '0' ? '1' : '0')

/** Keys that are not the good one, however like it. */
function misshapen({ key, record }: TestKey, other: TestKey): Record<string, string> {
  const [, id, secret] = key.split('_') as [string, string, string]
  const named = ['__proto__', 'constructor', 'tostring', 'valueof', 'hasownproperty', 'undefined', 'null']
  return {
    'the secret of another key': `trk_${id}_${other.key.split('_')[2]}`,
    'the id of another key': `trk_${other.record.id}_${secret}`,
    'an id that nobody has': `trk_000000000000_${secret}`,
    'no id': `trk__${secret}`,
    'no secret': `trk_${id}_`,
    'no secret and no end': `trk_${id}`,
    'the prefix': 'trk_',
    'the secret alone': secret,
    'the hash for the secret': `trk_${id}_${record.hash}`,
    'the hash alone': record.hash,
    'the hash of the secret': `trk_${id}_${hash('sha256', secret)}`,
    'the hash of the key as a key': `trk_${id}_${hash('sha256', key)}`,
    'a secret of zeros': `trk_${id}_${'0'.repeat(64)}`,
    'a digit less': key.slice(0, -1),
    half: key.slice(0, key.length / 2),
    'a digit more': `${key}0`,
    twice: key + key,
    'a dot behind': `${key}.`,
    'as a part of a token': `${key}.${key}.${key}`,
    'an underline behind': `${key}_`,
    'another prefix': key.replace('trk_', 'trk-'),
    'a prefix in capitals': key.replace('trk', 'TRK'),
    'the id in capitals': key.replace(id, id.toUpperCase()),
    'all in capitals': key.toUpperCase(),
    'the secret in capitals': `trk_${id}_${secret.toUpperCase()}`,
    'one letter in capitals': key.replace(/[a-f](?=[0-9a-f]*$)/, letter => letter.toUpperCase()),
    'in base64': Buffer.from(key).toString('base64'),
    'in hex': Buffer.from(key).toString('hex'),
    'percent-encoded': encodeURIComponent(key).replaceAll('_', '%5F'),
    'with padding': `${key}=`,
    'with a NUL, escaped': `${key}%00`,
    ...Object.fromEntries(
      [...secret].map((digit, at) => [`digit ${at}`, change(key, 5 + id.length + at, flip(digit))]),
    ),
    ...Object.fromEntries(named.map(name => [`the id ${name}`, `trk_${name}_${secret}`])),
    ...Object.fromEntries(
      [8192 - key.length + 1, 9 * 1024, 12 * 1024].map(size => [`and ${size} bytes`, key + '0'.repeat(size)]),
    ),
  }
}

/** Headers that have the good key, and more. */
const SURROUNDED = (key: string): Record<string, string> => ({
  'an e with an accent': `Bearer ${key.slice(0, -1)}\u00e9`,
  'full-width digits': `Bearer trk_\u00ef\u00bc\u0091${key.slice(5)}`,
  'a tab within': `Bearer ${change(key, 4, '\t')}`,
  'a space within': `Bearer ${change(key, 20, ' ')}`,
  'a space in front of the secret': `Bearer ${key.replace(/_(?=[0-9a-f]{64}$)/, '_ ')}`,
  'as the user of Basic': `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  'as the password of Basic': `Basic ${Buffer.from(`n8n:${key}`).toString('base64')}`,
})

export function keyForgeries(good: TestKey, other: TestKey): Forgery[] {
  const row = 'B40'
  const expired = testKey({ expires: new Date(Date.now() - 1000).toISOString() })
  return [
    { row, name: 'none' },
    ...Object.entries({ ...ABSENT(good.key), ...SURROUNDED(good.key) }).map(([name, authorization]) => ({
      row,
      name,
      authorization,
    })),
    ...ELSEWHERE(good.key).map(each => ({ ...each, row })),
    { row, name: 'query, as api_key', url: `/mcp?api_key=${good.key}&key=${good.key}` },
    ...Object.entries(misshapen(good, other)).map(([name, key]) => ({ row, name, authorization: `Bearer ${key}` })),
    { row, name: 'of another server', authorization: `Bearer ${testKey({ id: good.record.id }).key}` },
    { row, name: 'made up', authorization: `Bearer ${generateApiKey(() => false).key}` },
    { row, name: 'not in the file, and expired', authorization: `Bearer ${expired.key}` },
  ]
}

/** Tokens that name a key for who they are. */
const posing = ({ record, key }: TestKey): Forgery[] => {
  const [, , secret] = key.split('_')
  const poses = {
    'with the issuer of keys': { iss: API_KEY_ISSUER, sub: record.subject },
    'with the issuer and the id of a key': { iss: API_KEY_ISSUER, sub: record.subject, client_id: record.id },
  }
  const signers = { 'by the secret that is trusted': SECRET, 'by the hash of a key': record.hash, 'by a key': secret! }
  return Object.entries(poses).flatMap(([pose, claims]) =>
    Object.entries(signers).map(([by, signer]) => ({
      row: 'B40',
      name: `a token ${pose}, signed ${by}`,
      authorization: `Bearer ${secretIssuer(signer).token(claims)}`,
    })),
  )
}

export interface KeyTarget extends Target {
  readonly good: TestKey
  readonly other: TestKey
}

/** A server with two keys and an expired one, and with tokens beside them if these are set up. */
async function keyTarget(t: Test, access: object, challenge?: RegExp): Promise<KeyTarget & { expired: TestKey }> {
  const [good, other] = [testKey(), testKey()]
  const expired = testKey({ expires: new Date(Date.now() - 1000).toISOString() })
  const { tool, received } = recorder()
  const apiKeysFile = keysFile(t, good, other, expired).path
  const app = await build(t, { tools: [tool], rateLimit: { max: 1_000_000 }, apiKeysFile, ...access })
  return { app, received, trusted: [], good, other, expired, ...(challenge && { challenge }) }
}

export async function attackApiKeys(t: Test): Promise<Report> {
  const report = createReport()
  const tokens = { jwt: { secret: SECRET, audience: AUDIENCE } }
  const targets = [
    await keyTarget(t, {}, CHALLENGE),
    await keyTarget(t, { ...tokens, jwt: { ...tokens.jwt, issuer: ISSUER } }),
    await keyTarget(t, tokens, CHALLENGE),
  ]
  for (const target of targets) {
    const { good, other, expired } = target
    await tryAll(target, [...keyForgeries(good, other), ...posing(good)], report)
    const late = { row: 'B40', name: 'expired by a second', authorization: `Bearer ${expired.key}` }
    await tryAll(target, [late], report)
  }
  // Good elsewhere.
  const elsewhere = { row: 'B40', name: 'a key, where there are tokens alone' }
  await tryAll(await secretTarget(t), [{ ...elsewhere, authorization: `Bearer ${testKey().key}` }], report)
  const others = [secretIssuer(), ...keyIssuers()].map(issuer => ({
    row: 'B40',
    name: `${issuer.alg}, where there are keys alone`,
    authorization: `Bearer ${issuer.token()}`,
  }))
  await tryAll(targets[0]!, others, report)
  for (const { app, good } of targets) {
    report.ofGood += 2
    for (let at = 0; at < 2; at++)
      if (isServed(await attempt(app, { authorization: `Bearer ${good.key}` }))) report.good++
  }
  return report
}
