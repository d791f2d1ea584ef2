// What a flood of bad tokens or API keys does to good ones that come from the same address: how
// long they take, and how many are refused, with the flood and without. Each bad token costs a
// signature. On loopback, for a few seconds.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import type { Test } from 'tap'
import { keysFile, testKey } from '../../support/auth/api-keys.ts'
import { AUDIENCE, ISSUER, type Issuer, keyIssuers } from '../../support/auth/forge.ts'
import { jwksServer, keys } from '../../support/auth/jwks-server.ts'
import { ECHO_HEADERS, echoCall } from '../../support/security/probe.ts'

const FLOOD_S = 5
const BAD_PER_S = 4000
const BETWEEN_MS = 5
const BAD_TOKENS = 2000

export interface FloodReport {
  readonly name: string
  readonly p50Ms: number
  readonly p99Ms: number
  readonly served: number
  readonly refused: number
  /** Of the server. */
  readonly cores: number
  /** Answers to the flood by status. */
  readonly flood: Readonly<Record<string, number>>
}

const body = echoCall({})

async function start(t: Test, options: object): Promise<{ server: ChildProcess; url: string }> {
  const server = fork(new URL('flooded-server.ts', import.meta.url).pathname, [JSON.stringify(options)])
  t.teardown(() => server.disconnect())
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  return { server, url: `http://127.0.0.1:${port}/mcp` }
}

/** Calls one after the other until told to end. */
async function callWith(url: string, nextToken: () => string, isOver: () => boolean) {
  const tookMs: number[] = []
  let refused = 0
  while (!isOver()) {
    const headers = { ...ECHO_HEADERS, authorization: `Bearer ${nextToken()}`, host: new URL(url).host }
    const startedMs = performance.now()
    const response = await fetch(url, { method: 'POST', headers, body })
    await response.text()
    if (response.status === 200) tookMs.push(performance.now() - startedMs)
    else refused++
    await new Promise(resolve => setTimeout(resolve, BETWEEN_MS))
  }
  tookMs.sort((a, b) => a - b)
  const at = (part: number) => tookMs[Math.floor(tookMs.length * part)] ?? Number.NaN
  return { p50Ms: at(0.5), p99Ms: at(0.99), served: tookMs.length, refused }
}

/** Each right in all but its signature. */
function badTokens(issuer: Issuer): string[] {
  const [header, payload, signature] = issuer.token().split('.') as [string, string, string]
  const bytes = Buffer.from(signature, 'base64url')
  return Array.from({ length: BAD_TOKENS }, (_, at) => {
    bytes.writeUInt32BE(at, 8)
    return `${header}.${payload}.${bytes.toString('base64url')}`
  })
}

async function flood(url: string, bad: readonly string[]): Promise<Record<string, number>> {
  const requests = bad.map(token => ({
    method: 'POST' as const,
    headers: { ...ECHO_HEADERS, authorization: `Bearer ${token}`, host: new URL(url).host },
    body,
  }))
  const { statusCodeStats } = await autocannon({
    url,
    connections: 50,
    duration: FLOOD_S,
    overallRate: BAD_PER_S,
    requests,
  })
  return Object.fromEntries(Object.entries(statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0]))
}

export async function tokenFlood(t: Test): Promise<FloodReport[]> {
  const [issuer] = keyIssuers() as [Issuer]
  const jwks = await jwksServer(keys(issuer.jwk))
  t.teardown(() => jwks.close())
  const access = { jwt: { jwksUrl: jwks.url, issuer: ISSUER, audience: AUDIENCE }, publicUrl: AUDIENCE }
  const known = issuer.token({ jti: 'known' })
  let made = 0
  const good = { 'known tokens': () => known, 'new tokens': () => issuer.token({ jti: `new ${made++}` }) }
  return measure(t, access, { good, bad: badTokens(issuer) })
}

/** Each right in all but its secret. */
export async function apiKeyFlood(t: Test): Promise<FloodReport[]> {
  const good = testKey()
  const { id } = good.record
  const bad = Array.from({ length: BAD_TOKENS }, () => testKey({ id }).key.replace(/^trk_[^_]+/, `trk_${id}`))
  return measure(t, { apiKeysFile: keysFile(t, good).path }, { good: { 'API keys': () => good.key }, bad })
}

interface Sent {
  /** By their kind. */
  readonly good: Readonly<Record<string, () => string>>
  readonly bad: readonly string[]
}

async function measure(t: Test, access: object, { good, bad }: Sent): Promise<FloodReport[]> {
  const { server, url } = await start(t, { ...access, rateLimit: { max: 1_000_000 } })
  const coresSince = async () => {
    server.send('cores')
    return ((await once(server, 'message')) as [{ cores: number }])[0].cores
  }
  const reports: FloodReport[] = []
  for (const isFlooded of [false, true]) {
    for (const [kind, next] of Object.entries(good)) {
      let isOver = false
      await coresSince()
      const calls = callWith(url, next, () => isOver)
      const answers = isFlooded ? await flood(url, bad) : await new Promise<object>(r => setTimeout(r, 2000, {}))
      isOver = true
      const name = `${kind}, ${isFlooded ? `with ${BAD_PER_S} bad ones a second` : 'alone'}`
      reports.push({ name, ...(await calls), cores: await coresSince(), flood: answers as Record<string, number> })
    }
  }
  return reports
}
