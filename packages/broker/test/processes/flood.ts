// `npm run attack:broker`: strangers in many networks of IPv6 register clients, ask for
// authorization and agree, as fast as they can, against a broker whose Redis has 24 MB. Prints what
// they got, and what Redis holds. Exits with 1 if somebody else cannot sign in meanwhile, if whoever
// was at the provider already cannot finish, or if Redis has refused anything.
//   npm run attack:broker -- --networks=200
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { scoped } from '../../../../test/support/scoped.ts'
import { redisServer } from '../../../../test/support/servers/redis-server.ts'
import { LIMITS } from '../../src/limits.ts'
import { type Asked, ask, exchange, PUBLIC_CLIENT, registered, startBroker } from '../support/broker.ts'
import { type Browser, csrfOf, leftFor, refreshOf, shownIn } from '../support/browser.ts'

export const REDIS_MB = 24
/** A minute's worth of an address, as one that sends all at once. */
const ROUNDS = LIMITS.authorize
const STATE_LENGTH = 3000
const AT_ONCE = 64

export interface Flood {
  readonly networks: number
  readonly seconds: number
  /** Answers, as `authorize 303`. */
  readonly answers: Readonly<Record<string, number>>
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Writes that Redis has refused since it was full. */
  readonly refusedWrites: number
  readonly hasSignedIn: boolean
  /** Of who was at the provider before the flood. */
  readonly hasFinished: boolean
}

/** @param networks /64s, each in a network of its own */
export async function flood(t: Test, networks: number): Promise<Flood> {
  const redis = await redisServer(t, {
    options: ['--maxmemory', `${REDIS_MB}mb`, '--maxmemory-policy', 'noeviction'],
  })
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-broker-flood-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const keys = join(folder, 'keys.json')
  const settings = { REDIS_URL: redis.url, KEYS_PATH: keys, TRUST_PROXY: '127.0.0.1' }
  const broker = await startBroker(t, settings)
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  const clientId = await registered(broker)
  const waiting = await startSignIn(broker.browser(), ask(broker, clientId))
  const bytesBefore = await readNumber(client, 'memory', 'used_memory')

  const startMs = performance.now()
  const answers: Record<string, number> = {}
  const urls = requestsOf(broker.url, clientId, networks)
  await inTurns(urls, async send => {
    const what = await send()
    answers[what] = (answers[what] ?? 0) + 1
  })
  const seconds = (performance.now() - startMs) / 1000
  const bytesAfter = await readNumber(client, 'memory', 'used_memory')
  const fresh = await registered(broker).catch(() => clientId)
  return {
    networks,
    seconds,
    answers,
    bytesBefore,
    bytesAfter,
    hasSignedIn: await gets(broker, fresh, await startSignIn(broker.browser(), ask(broker, fresh))),
    hasFinished: await gets(broker, clientId, waiting),
    refusedWrites: await readNumber(client, 'errorstats', 'errorstat_OOM'),
  }
}

interface UnderWay {
  readonly browser: Browser
  readonly asked: Asked
  /** Of the provider. */
  readonly onward: URL | undefined
}

/** Up to the provider's page. */
async function startSignIn(browser: Browser, asked: Asked): Promise<UnderWay> {
  const page = shownIn(await browser.go(asked.url))
  if (csrfOf(page) === '') return { browser, asked, onward: undefined }
  return { browser, asked, onward: refreshOf(shownIn(await browser.answer(page, 'allow'))) }
}

/** @returns whether there are tokens at the end */
async function gets(
  broker: { readonly url: string },
  clientId: string,
  { browser, asked, onward }: UnderWay,
): Promise<boolean> {
  if (onward === undefined) return false
  const code = leftFor(await browser.authorize(onward, { account: 'alice' })).get('code') ?? ''
  return (await exchange(broker, clientId, code, asked.verifier)).status === 200
}

/** Of each network the same, in turn: 30 clients, then large requests, of which every tenth is agreed to. */
function requestsOf(url: string, clientId: string, networks: number): (() => Promise<string>)[] {
  const addresses = Array.from({ length: networks }, (_, at) => `2a0${at % 10}:${(at + 1).toString(16)}::1`)
  const body = JSON.stringify(PUBLIC_CLIENT)
  const register = async (from: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from }
    const response = await fetch(`${url}/register`, { method: 'POST', headers, body })
    await response.body?.cancel()
    return `register ${response.status}`
  }
  const authorize = async (from: string, round: number) => {
    const { url: start } = ask({ url }, clientId, { state: 'x'.repeat(STATE_LENGTH) })
    const response = await fetch(start, { redirect: 'manual', headers: { 'x-forwarded-for': from } })
    await response.body?.cancel()
    const isAgreed = response.status === 303 && round % 10 === 0
    return isAgreed
      ? allow(new URL(response.headers.get('location')!, url), response, from)
      : `authorize ${response.status}`
  }
  return Array.from({ length: ROUNDS }, (_, round) => round).flatMap(round => [
    ...(round < LIMITS.register ? addresses.map(from => () => register(from)) : []),
    ...addresses.map(from => () => authorize(from, round)),
  ])
}

async function allow(page: URL, { headers }: Response, from: string): Promise<string> {
  const own = headers.getSetCookie().map(cookie => cookie.split(';')[0]!)
  const shown = await fetch(page, { headers: { cookie: own.join('; '), 'x-forwarded-for': from } })
  const cookies = [...own, ...shown.headers.getSetCookie().map(cookie => cookie.split(';')[0]!)]
  const csrf = csrfOf({ url: page, status: shown.status, headers: shown.headers, html: await shown.text() })
  const response = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams({ csrf, answer: 'allow' }),
    headers: { cookie: cookies.join('; '), 'x-forwarded-for': from },
  })
  await response.body?.cancel()
  return `agree ${response.status}`
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < all.length) await work(all[next++]!)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function readNumber(client: Redis, section: string, name: string): Promise<number> {
  const line = new RegExp(`^${name}:(?:count=)?(\\d+)`, 'm').exec(await client.info(section))
  return Number(line?.[1] ?? 0)
}

export function rowsOf({ networks, seconds, answers, ...rest }: Flood): [string, string][] {
  const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  const counts = Object.entries(answers)
    .sort()
    .map(([what, count]) => `${what}: ${count}`)
  return [
    ['networks (/64)', String(networks)],
    ['time', `${seconds.toFixed(1)} s`],
    ['answers', counts.join(', ')],
    ['Redis before', mb(rest.bytesBefore)],
    ['Redis after', `${mb(rest.bytesAfter)} of ${REDIS_MB}`],
    ['writes that Redis refused', String(rest.refusedWrites)],
    ['somebody else can sign in', rest.hasSignedIn ? 'yes' : 'no'],
    ['who was at the provider can finish', rest.hasFinished ? 'yes' : 'no'],
  ]
}

export const hasHeld = ({ refusedWrites, hasSignedIn, hasFinished }: Flood): boolean =>
  refusedWrites === 0 && hasSignedIn && hasFinished

if (import.meta.main) {
  const { values } = parseArgs({ options: { networks: { type: 'string', default: '46' } } })
  const report = await scoped(t => flood(t, Number(values.networks)))
  for (const [what, figure] of rowsOf(report)) console.log(`${what.padEnd(36)} ${figure}`)
  if (!hasHeld(report)) process.exitCode = 1
}
