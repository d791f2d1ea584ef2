// The keys of an issuer, with a server that has them and a clock, both in the hands of the test.
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mock } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { JwksKeys, type JwksOptions } from '../../../packages/tokens/src/jwks.ts'
import type { McpError } from '../../../src/protocol/errors.ts'
import { until } from '../eventually.ts'
import { fakeLog } from '../fakes.ts'
import type { Issuer } from './forge.ts'
import { type Answer, jwksServer, keys } from './jwks-server.ts'

/** Where the runtime tells of each request that `fetch` begins. */
const BEGUN = 'undici:request:create'

export const S = 1000
export const MIN = 60 * S
export const HOUR = 60 * MIN

export const setOf = (...issuers: Issuer[]) => keys(...issuers.map(({ jwk }) => jwk))

/** Fetches are given up when the test says so, not when a machine has stood still for 5 s. */
export function giveNothingUp(t: Test): void {
  const { mock: given } = mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
  t.teardown(() => given.restore())
}

export async function rack(t: Test, answer: Answer, over: Pick<JwksOptions, 'algorithms'> = {}) {
  giveNothingUp(t)
  mock.timers.enable({ apis: ['setInterval'] })
  const server = await jwksServer(answer)
  const clock = { nowMs: 1e12 }
  const log = fakeLog()
  const fetches = { begun: 0, ended: 0 }
  const removed = { times: 0 }
  const count = ({ request }: { request: { origin: unknown } }) => {
    if (server.url.startsWith(`${request.origin}/`)) fetches.begun++
  }
  subscribe(BEGUN, count as ChannelListener)
  const known = new JwksKeys({
    url: server.url,
    log,
    now: () => clock.nowMs,
    onFetch: () => void fetches.ended++,
    onRemoved: () => void removed.times++,
    ...over,
  })
  t.teardown(async () => {
    unsubscribe(BEGUN, count as ChannelListener)
    known.close()
    mock.timers.reset()
    await server.close()
  })
  /** Every fetch that has begun has ended. */
  const settled = async () => {
    await delay(2)
    await until(() => fetches.ended >= fetches.begun, 'the fetch ended')
  }
  await known.start()
  await settled()
  /** Lets the time pass in steps, in each of which a fetch comes to its end. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 30 * S) {
      clock.nowMs += Math.min(left, 30 * S)
      mock.timers.tick(Math.min(left, 30 * S))
      await settled()
    }
  }
  const has = async ({ alg, kid }: Pick<Issuer, 'alg' | 'kid'>) =>
    (await known.find({ alg, kid, typ: undefined })) !== undefined
  /** Nobody can know now: 503. */
  const isUnknown = async (issuer: Pick<Issuer, 'alg' | 'kid'>) =>
    has(issuer).then(
      () => false,
      error => (error as McpError).reason === 'UNVERIFIABLE' && (error as McpError).retryAfterS! > 0,
    )
  return { server, clock, log, known, removed, pass, has, isUnknown, settled }
}
