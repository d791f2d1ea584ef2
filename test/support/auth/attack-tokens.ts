// Tries every forgery on servers with each kind of key, and counts. What is let in, breaks or leaks is named.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Test } from 'tap'
import { type App, build } from '../app.ts'
import { merged } from '../merged.ts'
import { echoCall, type Got, recorder, send } from '../security/probe.ts'
import { issuersTarget } from './attack-issuers.ts'
import {
  AUDIENCE,
  bareIssuers,
  ISSUER,
  type Issuer,
  keyIssuers,
  SECRET,
  secretIssuer,
  unusableIssuers,
} from './forge.ts'
import { bearers, type Forgery, forgeries, unusable } from './forged.ts'
import { leftOut, NARROW, ofClient, ruled } from './forged-rules.ts'
import { jwksServer, keys } from './jwks-server.ts'

export interface Report {
  tried: number
  /** How many, by row. */
  readonly rows: Record<string, number>
  readonly letIn: string[]
  /** Answered with 5xx. */
  readonly broken: string[]
  /** Refused, though not with 401 and a right challenge. */
  readonly odd: string[]
  /** The token is in the answer or in the log. */
  readonly leaked: string[]
  /** Of the issuers that are trusted, after all that. */
  good: number
  /** How many it should be. */
  ofGood: number
  /** Requests to addresses that tokens named, and tokens that an issuer was shown of another. */
  trapped: number
}

export interface Target {
  readonly app: App
  /** How a challenge begins. Default: it names the metadata. */
  readonly challenge?: RegExp
  readonly received: unknown[]
  readonly trusted: readonly Issuer[]
}

export const METADATA = 'http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp'
const CHALLENGE = new RegExp(
  `^Bearer (?:error="invalid_token", error_description="[^"]+", )?resource_metadata="${METADATA}"`,
)

/** A server that trusts one secret. */
export async function secretTarget(t: Test, options = {}): Promise<Target> {
  const { tool, received } = recorder()
  const access = { jwt: { secret: SECRET, issuer: ISSUER, audience: AUDIENCE } }
  const app = await build(t, { tools: [tool], rateLimit: { max: 1_000_000 }, ...merged(access, options) })
  return { app, received, trusted: [secretIssuer()] }
}

/** A server that trusts these keys, by default one of each kind, in a set with others that it must not use. */
export async function keysTarget(
  t: Test,
  others: readonly Issuer[],
  options = {},
  trusted: readonly Issuer[] = keyIssuers(),
): Promise<Target> {
  const { tool, received } = recorder()
  const jwks = await jwksServer(keys(...[...trusted, ...others].map(({ jwk }) => jwk)))
  t.teardown(() => jwks.close())
  const access = { jwt: { jwksUrl: jwks.url, issuer: ISSUER, audience: AUDIENCE } }
  const app = await build(t, { tools: [tool], rateLimit: { max: 1_000_000 }, ...merged(access, options) })
  return { app, received, trusted }
}

let addresses = 0
// Each from an address of its own, since refused tokens are limited by address.
const nextAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`

/** Sends it, and again where the process sheds load: that says nothing of the token. */
export async function attempt(app: App, forgery: Omit<Forgery, 'row' | 'name'>): Promise<Got> {
  const { authorization, headers, url, members } = forgery
  for (let left = 50; ; left--) {
    const got = await send(app, {
      body: echoCall({ message: 'x' }, members),
      headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      ...(url !== undefined && { url }),
      remoteAddress: nextAddress(),
    })
    if (got.status !== 503 || got.message?.error?.code !== 50300 || left === 0) return got
    await delay(100)
  }
}

export const isServed = ({ status, message }: Got) => status === 200 && message?.result?.content?.[0]?.text === 'x'

/** Sends them all, and counts. */
export async function tryAll(target: Target, all: readonly Forgery[], report: Report): Promise<void> {
  const { app, received, challenge = CHALLENGE } = target
  for (const forgery of all) {
    const { row, name, authorization = [] } = forgery
    await nextTurn()
    const [before, logged] = [received.length, app.logs.lines.length]
    const got = await attempt(app, forgery)
    const about = `${row} ${name}: ${got.status}`
    report.tried++
    report.rows[row] = (report.rows[row] ?? 0) + 1
    if (got.status < 400 || received.length > before) report.letIn.push(about)
    else if (got.status >= 500) report.broken.push(about)
    else if (!isRightRefusal(got, challenge)) report.odd.push(`${about} ${got.headers['www-authenticate']} ${got.text}`)
    const shown = `${JSON.stringify(got.headers)} ${got.text} ${JSON.stringify(app.logs.lines.slice(logged))}`
    // The part that is secret; a header alone says nothing.
    const secrets = [authorization, JSON.stringify(forgery)]
      .flat()
      .flatMap(text => /\.([\w-]{20,}\.[\w-]{20,})/.exec(text)?.[1] ?? /_([0-9a-f]{20,})/.exec(text)?.[1] ?? [])
    if (secrets.some(secret => shown.includes(secret))) report.leaked.push(about)
  }
}

/** How many of them are served, each twice: verified, then remembered. */
async function countGood({ app, trusted }: Target): Promise<number> {
  let good = 0
  for (const issuer of trusted) {
    const authorization = `Bearer ${issuer.token()}`
    for (let at = 0; at < 2; at++) if (isServed(await attempt(app, { authorization }))) good++
  }
  return good
}

const isRightRefusal = ({ status, headers, message }: Got, challenge: RegExp) =>
  status === 401 && message?.error?.code === 40100 && challenge.test(String(headers['www-authenticate']))

export const createReport = (): Report => ({
  tried: 0,
  rows: {},
  letIn: [],
  broken: [],
  odd: [],
  leaked: [],
  good: 0,
  ofGood: 0,
  trapped: 0,
})

export async function attackTokens(t: Test): Promise<Report> {
  const report = createReport()
  const trap = await jwksServer()
  t.teardown(() => trap.close())
  const others = unusableIssuers()
  const [rs, ps, es, ed] = keyIssuers('narrow-') as [Issuer, Issuer, Issuer, Issuer]
  const wide = [rs, ed, ...bareIssuers('narrow-').filter(({ alg }) => alg !== 'ES256')]
  const narrow = await keysTarget(t, [...others, ...wide], NARROW, [ps, es].map(ofClient))
  const targets = [await secretTarget(t), await keysTarget(t, others), await keysTarget(t, others, {}, bareIssuers())]
  const foreign = [secretIssuer('the-secret-of-somebody-else-0123456789'), ...keyIssuers(), ...bareIssuers()]
  for (const target of targets) {
    const { trusted } = target
    for (const issuer of trusted) {
      const enemy = { foreign: foreign.find(({ alg }) => alg === issuer.alg)!, trusted, trapUrl: trap.url }
      await tryAll(target, forgeries(issuer, enemy), report)
    }
  }
  await tryAll(narrow, bearers('B6', 'JWT_ALGORITHMS', leftOut(wide)), report)
  for (const issuer of [ps, es])
    for (const [row, cases] of Object.entries(ruled(issuer)))
      await tryAll(narrow, bearers(row, `narrowed ${issuer.alg}`, cases), report)
  await tryAll(targets[0]!, tokensOf(keyIssuers()), report)
  for (const target of [...targets.slice(1), narrow])
    await tryAll(target, [...tokensOf([secretIssuer()]), ...unusable(others)], report)
  const several = await issuersTarget(t)
  await tryAll(several, [...several.forgeries, ...tokensOf([secretIssuer(), ...keyIssuers()])], report)
  for (const target of [...targets, narrow, several]) {
    report.good += await countGood(target)
    report.ofGood += 2 * target.trusted.length
  }
  report.trapped = trap.fetches + several.shown()
  return report
}

/** Good elsewhere. */
const tokensOf = (issuers: readonly Issuer[]): Forgery[] =>
  issuers.map(issuer => ({ row: 'B6', name: `${issuer.alg} elsewhere`, authorization: `Bearer ${issuer.token()}` }))
