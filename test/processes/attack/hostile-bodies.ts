// Hostile bodies: the corpus, right messages of both eras, and what becomes of them.
import { readdirSync, readFileSync } from 'node:fs'
import { request } from '../../support/app.ts'
import { bearer } from '../../support/auth/guarded.ts'
import { broken, brokenBytes, mutant, pick, random, regrow } from '../../support/security/mutants.ts'
import { callOf, handshake, OLDER } from '../../support/security/sessions.ts'
import type { Sent } from './target.ts'

const CORPUS = new URL('../../support/corpus/', import.meta.url)
const corpus = readdirSync(CORPUS).map(name => readFileSync(new URL(name, CORPUS)))

/** How long a stream that an attack has opened is listened to. */
const LEAVE_MS = 20
export const TOKEN = bearer('even odd', { exp: Math.floor(Date.now() / 1000) + 86_000 })

const message = (method: string, params: object, id: unknown = random(50)) => ({ jsonrpc: '2.0', id, method, params })

const LEGACY: (() => object)[] = [
  () => callOf('echo', { message: 'Hello, 世界', list: [1, 2.5, null, { a: {} }] }, random(50)),
  () => callOf('typed', { count: 7, tags: ['a', 'b'] }, `s${random(50)}`),
  () => callOf('asks', {}, random(50)),
  () => message('tools/call', { name: 'whose', arguments: { mark: 'm', waitMs: 0 }, _meta: { progressToken: 1 } }),
  () => message('tools/list', { cursor: 'AAAA' }),
  () => message('resources/read', { uri: 'item:1' }),
  () => message(pick(['resources/subscribe', 'resources/unsubscribe']), { uri: 'memory://a' }),
  () => message('prompts/get', { name: 'hello', arguments: { who: 'x' } }),
  () =>
    message('completion/complete', {
      ref: { type: 'ref/prompt', name: 'hello' },
      argument: { name: 'who', value: 'a' },
    }),
  () => message('logging/setLevel', { level: 'debug' }),
  () => message('ping', {}),
  () => message('notifications/cancelled', { requestId: random(50), reason: 'x' }, undefined),
  () => ({ jsonrpc: '2.0', id: random(50), result: { action: 'accept', content: { a: 1 } } }),
  () => handshake(pick([...OLDER, '2026-07-28', 'x'])),
]

const asIs = (whole: object) => Buffer.from(JSON.stringify(whole))
const regrown = (whole: object) => asIs(regrow(whole))
const fromCorpus = () => (random(3) === 0 ? pick(corpus) : brokenBytes(pick(corpus)))

/** A right call with wrong arguments: it gets as far as the tool. */
function argued() {
  const [name, args] = pick<[string, object]>([
    ['echo', { message: 'x' }],
    ['typed', { count: 7, when: '2026-07-28', tags: ['a'] }],
    ['whose', { mark: 'm', waitMs: 0 }],
  ])
  const meta = { progressToken: random(50) }
  const { message: asked, headers } = request('tools/call', { name, arguments: regrow(args) }, { id: random(50), meta })
  return { headers, body: asIs(asked) }
}

export function modernBody(): Sent {
  const { headers, body } =
    random(5) === 0
      ? { ...mutant(), body: fromCorpus() }
      : pick([mutant, mutant, argued, () => listening() ?? mutant()])()
  return { headers: { ...sendable(headers), ...TOKEN }, body, leaveAfterMs: LEAVE_MS }
}

// Node's client sends no header that is malformed; test/security/messages/a-headers.test.ts does.
function sendable(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/g, '?')]))
}

function listening() {
  if (random(5) > 0) return undefined
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['memory://a'] }
  const { message: asked, headers } = request('subscriptions/listen', { notifications }, { id: random(50) })
  return { headers, body: random(2) === 0 ? broken(asked) : Buffer.from(JSON.stringify(regrow(asked))) }
}

/** For a session, or what may be none. */
export function legacyBody(session: string): Sent {
  const isBatch = random(3) === 0
  // Some as they should be, so that there is something in the session to go wrong.
  const whole = isBatch ? Array.from({ length: 1 + random(24) }, () => pick(LEGACY)()) : pick(LEGACY)()
  const body = pick([asIs, regrown, regrown, broken, fromCorpus])(whole)
  const accept = 'application/json, text/event-stream'
  const headers = { 'content-type': 'application/json', accept, 'mcp-session-id': session, ...TOKEN }
  return { headers, body, leaveAfterMs: LEAVE_MS }
}
