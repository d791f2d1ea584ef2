// The servers of bench/turns.ts, and the requests that each is sent.
import { SignJWT } from 'jose'
import { type Call, modernCall } from './modern-call.ts'
import { type Started, start } from './processes.ts'

export interface Target {
  readonly name: string
  readonly server: 'floor' | 'toolrack'
  readonly isLegacy?: boolean
  /** By `POST /tools/NAME`. */
  readonly isPlainHttp?: boolean
  readonly hasToken?: boolean
  /** Whether `onCall` and `visible` are set. */
  readonly hasHooks?: boolean
  /** Options of createServer. */
  readonly options?: object
  /** The module to import instead of this build. */
  readonly entry?: string
}

export interface TargetOptions {
  /** The module of an earlier build. */
  readonly baseEntry: string | undefined
  readonly redis: string | undefined
  /** A folder for the files of state. */
  readonly sqlite: string | undefined
  readonly hasTokens: boolean
  readonly hasPlainHttp: boolean
  readonly handlers: 'sync' | 'async'
}

const SECRET = 'a secret of the bench, of at least 32 characters'
const AUDIENCE = 'https://bench.example.com/mcp'
const LEGACY = '2025-11-25'

export const CALLS = {
  echo: { name: 'echo', arguments: { message: 'hello 1000001' } },
  add: { name: 'add', arguments: { a: 1_000_001, b: 2 } },
  large: { name: 'large', arguments: {} },
}
/** Each answer has this. */
export const EXPECTED = { echo: CALLS.echo.arguments.message, add: '"sum":1000003', large: 'row 6399' }
export type ToolName = keyof typeof CALLS

/** Bare Fastify first. */
export function listTargets({ baseEntry, redis, sqlite, hasTokens, hasPlainHttp }: TargetOptions): Target[] {
  const eras = (name: string, more: Omit<Target, 'name' | 'server'> = {}): Target[] => [
    { name: `${name}, 2026-07-28`, server: 'toolrack', ...more },
    { name: `${name}, ${LEGACY}`, server: 'toolrack', isLegacy: true, ...more },
  ]
  return [
    { name: 'bare Fastify', server: 'floor' },
    ...(baseEntry === undefined ? [] : eras('base', { entry: baseEntry })),
    ...(baseEntry !== undefined && hasTokens ? eras('base with a token', { entry: baseEntry, hasToken: true }) : []),
    ...eras('Toolrack'),
    ...(hasPlainHttp ? [{ name: 'plain HTTP', server: 'toolrack', isPlainHttp: true } as const] : []),
    ...(hasTokens ? [...eras('with hooks', { hasHooks: true }), ...eras('with a token', { hasToken: true })] : []),
    ...(redis === undefined ? [] : eras('with Redis', { options: { redis: { url: redis } } })),
    ...(sqlite === undefined ? [] : eras('with SQLite').map(withFile(sqlite))),
  ]
}

/** One process a file. */
const withFile = (folder: string) => (target: Target) => ({
  ...target,
  options: { state: `sqlite:${folder}/${target.isLegacy ? 'legacy' : 'modern'}.db` },
})

export function startTarget(target: Target, handlers: 'sync' | 'async'): Promise<Started> {
  const { server, hasToken, hasHooks, options, entry } = target
  const access = hasToken && { jwt: { secret: SECRET, audience: AUDIENCE } }
  const env = {
    HANDLERS: handlers,
    OPTIONS: JSON.stringify({ ...access, ...options }),
    ...(hasHooks && { HOOKS: 'true' }),
  }
  return start('./servers.ts', entry === undefined ? [server] : [server, entry], env)
}

/** @returns one call, or one for each of `count` sessions */
export async function createCalls(target: Target, url: string, tool: ToolName, count: number): Promise<Call[]> {
  const authorization: Record<string, string> = {}
  if (target.hasToken) authorization['authorization'] = `Bearer ${await signToken()}`
  const { headers, body } = modernCall('tools/call', CALLS[tool])
  if (target.isPlainHttp) {
    const plain = { 'content-type': 'application/json', ...authorization }
    return [{ path: `/tools/${tool}`, headers: plain, body: JSON.stringify(CALLS[tool].arguments) }]
  }
  if (!target.isLegacy) return [{ headers: { ...headers, ...authorization }, body }]
  const common = { 'content-type': 'application/json', accept: headers['accept']!, ...authorization }
  const legacy = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALLS[tool] })
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(url, common)))
  return sessions.map(session => ({ headers: { ...common, ...session }, body: legacy }))
}

const signToken = () =>
  new SignJWT({ sub: 'bench', aud: AUDIENCE })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('12 h')
    .sign(Buffer.from(SECRET))

async function openSession(url: string, headers: Record<string, string>): Promise<Record<string, string>> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } }
  const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const opened = await post(url, { headers, body: hello })
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')!, 'mcp-protocol-version': LEGACY }
  const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await post(url, { headers: { ...headers, ...session }, body: ready })
  return session
}

/** @throws Error with the answer, unless it is a success */
export async function post(
  url: string,
  { path = '/mcp', headers, body }: Call,
): Promise<{ headers: Headers; text: string }> {
  const response = await fetch(url + path, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return { headers: response.headers, text }
}
