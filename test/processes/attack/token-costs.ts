// What it costs to verify a token: the whole call with a token that is new, or remembered, less the call without access
// control. The least of many short runs, since the machine is not alone.
import type { Test } from 'tap'
import { type App, build } from '../../support/app.ts'
import { keysTarget, secretTarget, type Target } from '../../support/auth/attack-tokens.ts'
import type { Issuer } from '../../support/auth/forge.ts'
import { merged } from '../../support/merged.ts'
import { ECHO_HEADERS, echoCall, recorder } from '../../support/security/probe.ts'

const RUNS = 30
const CALLS = 100

export interface TokenCost {
  readonly alg: string
  /** Microseconds more than a call without access control. */
  readonly firstUs: number
  readonly againUs: number
}

const payload = echoCall()

/** Processor time of a call: others may use the machine too. */
async function callUs(app: App, tokens: readonly (string | undefined)[]): Promise<number> {
  const started = process.cpuUsage()
  for (const token of tokens) {
    const headers = { ...ECHO_HEADERS, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const { statusCode } = await app.inject({ method: 'POST', url: '/mcp', headers, payload })
    if (statusCode !== 200) throw new Error(`answered with ${statusCode}`)
  }
  const { user, system } = process.cpuUsage(started)
  return (user + system) / tokens.length
}

async function costOf({ app }: Target, issuer: Issuer, open: App): Promise<TokenCost> {
  const least = { base: Number.POSITIVE_INFINITY, first: Number.POSITIVE_INFINITY, again: Number.POSITIVE_INFINITY }
  for (let run = 0; run < RUNS; run++) {
    const tokens = Array.from({ length: CALLS }, (_, at) => issuer.token({ jti: `${run} ${at}` }))
    least.base = Math.min(least.base, await callUs(open, new Array(CALLS).fill(undefined)))
    least.first = Math.min(least.first, await callUs(app, tokens))
    least.again = Math.min(least.again, await callUs(app, tokens))
  }
  return { alg: issuer.alg, firstUs: least.first - least.base, againUs: least.again - least.base }
}

export async function tokenCosts(t: Test): Promise<TokenCost[]> {
  const options = { logLevel: 'silent' as const, stateSecret: 'x'.repeat(32) }
  const open = await build(t, merged({ tools: [recorder().tool], rateLimit: { max: 1_000_000 } }, options))
  const targets = [await secretTarget(t, options), await keysTarget(t, [], options)]
  const costs: TokenCost[] = []
  for (const target of targets) {
    for (const issuer of target.trusted) costs.push(await costOf(target, issuer, open))
  }
  return costs
}
